/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/check.h - what a library is checked with where there is no hone: inputs, and what the
 * interpreter makes of them. */
#ifndef HONE_RUNTIME_LIBRARY_CHECK_H
#define HONE_RUNTIME_LIBRARY_CHECK_H

#include "graph/eval/value.h"
#include "runtime/code.h"
#include "runtime/library/files.h"

struct library_check {
	const struct value *inputs, *want;	/* arrays */
	int n_inputs, n_want;
	double bound;	/* parts of the largest magnitude of a result that floats may be off by */
};

/* Random inputs, in A, and the results of the interpreter on them for the model PLAIN as it was read; CODE is what
 * became of it. 0, or -1 and a message. */
int library_check_make(struct arena *a, const struct graph *plain, const struct model_code *code,
		       struct library_check *out);
/* Writes check.c and the folder check/ into F. */
int library_put_check(const struct library_folder *f, const struct library_check *c);

#endif
