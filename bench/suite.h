/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suite.h - something that `hone bench` measures: one file bench/suites/NAME.c that ends in
 * one `const struct command suite_NAME`, a part of hone bench, and a line in bench/suites.def. */
#ifndef HONE_BENCH_SUITE_H
#define HONE_BENCH_SUITE_H

#include <argp.h>

#include "tools/command.h"

/* ARGV[0] of a suite is "hone bench --suite NAME" (or "hone bench"), the rest is its own. */
#define X(name) extern const struct command suite_##name;
#include "bench/suites.def"
#undef X

/* A child of a suite's argp: explains --suite, which has been taken off the line by then. */
extern const struct argp suite_argp;

#endif
