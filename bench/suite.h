/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suite.h - something that `hone bench` measures: one file bench/suites/NAME.c that ends in
 * one `const struct suite`, and a line in bench/suites.def. */
#ifndef HONE_BENCH_SUITE_H
#define HONE_BENCH_SUITE_H

#include <argp.h>

struct suite {
	const char *name;
	const char *summary;	/* one line of `hone bench --help` */
	/* ARGV[0] is "hone bench --suite NAME" (or "hone bench"), the rest is the suite's own;
	 * returns the exit status. */
	int (*run)(int argc, char **argv);
};

#define X(name) extern const struct suite suite_##name;
#include "bench/suites.def"
#undef X

/* A child of a suite's argp: explains --suite, which has been taken off the line by then. */
extern const struct argp suite_argp;

#endif
