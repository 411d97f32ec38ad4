/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/text.h - the .te text form of a DAG.
 *
 *	# comment
 *	input  A: f32[512, 512]
 *	const  B: f32[512, 512]
 *	input  V: f32[64] in 0.5..1.5		range of random test data
 *	C[i, j] = sum(k < 512) A[i, k] * B[k, j]
 *	D[i < 512, j] = max(C[i, j], 0)
 *	output C				an output although D reads it
 *
 * An axis without an extent takes that of the dimension it indexes. sum, max, min and prod over
 *axes stand in front of a whole body only. Operators bind as in C; functions are those of
 *te/expr.def, casts are written f32(x). A literal takes the type of the other operand. Index
 *arithmetic is i64; an axis used as a value is cast. true, false, inf and nan are constants.
 *
 * Holds: what dag_print writes, dag_parse reads back with the same key, and printing that gives the
 * same text. */
#ifndef HONE_TE_TEXT_TEXT_H
#define HONE_TE_TEXT_TEXT_H

#include "te/dag.h"

/* The frozen DAG that TEXT describes, named after FILE; NULL and "FILE:LINE:COLUMN: ..." where
 * there is none. Any text is safe. */
struct dag *dag_parse(struct arena *a, const char *file, const char *text);

void dag_print(struct text *t, const struct dag *d);
/* Loads as A[i, j], the fewest parentheses. */
void expr_print(struct text *t, const struct expr *e);

/* What the tensors and axes of an expression are called in a text. */
struct expr_names {
	const char *(*tensor)(const struct expr_names *names, const struct tensor *t);
	const char *(*axis)(const struct expr_names *names, const struct axis *axis);
};
void expr_print_named(struct text *t, const struct expr *e, const struct expr_names *names);

/* NAME with what no name may hold replaced, and different from the first N of TAKEN. Models bring
 * any string as a name, and builders call two axes alike. */
const char *name_unique(struct arena *a, const char *name, const char *const *taken, int n);

#endif
