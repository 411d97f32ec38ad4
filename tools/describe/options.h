/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/options.h - a command's argp as a list: its own options, then its children's, a group behind the
 * other as --help has them, in each the order of the tables. */
#ifndef HONE_TOOLS_DESCRIBE_OPTIONS_H
#define HONE_TOOLS_DESCRIBE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "base/vec.h"

/* An option, or, with neither name nor letter, the header of those behind it. */
struct listed_option {
	const char *name;	/* without dashes; NULL: a letter alone */
	char letter;		/* 0: none */
	const char *value;	/* the word for it; NULL: takes none */
	bool optional;		/* the value may be left out: only what is behind = is one */
	const char *text;	/* as --help has it */
	int group;
};

struct listed_option_vec VEC(struct listed_option);

/* All that --help shows of ARGP, --help and --usage included; in A. */
void options_list(struct arena *a, const struct argp *argp, struct listed_option_vec *out);

/* The words of ARGP's usage without brackets and dots: "SOURCE", "FILE FROM"; in A. *MORE: the last one may come
 * again. */
const char *arguments_list(struct arena *a, const struct argp *argp, bool *more);

#endif
