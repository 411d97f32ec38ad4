/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/dim.h - extents of tensors: numbers, or expressions over symbols.
 *
 * A symbol is an axis of te/: an extent that the caller of a model chooses, at least 0. Expressions
 * over symbols are simplified as index expressions are, so that N + N and 2 * N are the same. */
#ifndef HONE_GRAPH_IR_DIM_H
#define HONE_GRAPH_IR_DIM_H

#include "base/text.h"
#include "te/expr.h"

/* A number (n >= 0), an expression (n < 0), or unknown (n < 0, no expr). */
struct dim {
	int64_t n;
	const struct expr *expr;
};

struct dim dim_number(int64_t n);
struct dim dim_unknown(void);
/* An i64 expression over symbols, simplified in A. */
struct dim dim_expr(struct arena *a, const struct expr *e);
bool dim_is_number(struct dim d);
/* Known to be the same: equal numbers or equal expressions. Two unknown ones are not. */
bool dim_equal(struct dim x, struct dim y);

/* Unknown where an operand is, or where numbers go beyond GRAPH_MAX_DIM; a result may be negative
 * (its n then is a number below -1 nowhere: negative numbers are expressions of one constant). */
struct dim dim_add(struct arena *a, struct dim x, struct dim y);
struct dim dim_sub(struct arena *a, struct dim x, struct dim y);
struct dim dim_mul(struct arena *a, struct dim x, struct dim y);
/* Rounded down. */
struct dim dim_div(struct arena *a, struct dim x, struct dim y);
struct dim dim_min(struct arena *a, struct dim x, struct dim y);
struct dim dim_max(struct arena *a, struct dim x, struct dim y);
/* 1 where x == y, x < y, x <= y whatever the symbols are, 0 where it never is; else unknown. */
struct dim dim_is_equal(struct arena *a, struct dim x, struct dim y);
struct dim dim_is_less(struct arena *a, struct dim x, struct dim y);
struct dim dim_is_at_most(struct arena *a, struct dim x, struct dim y);
/* The number that D is, negative ones too. */
bool dim_value(struct dim d, int64_t *v);
/* D from the number V of any sign. */
struct dim dim_of(struct arena *a, int64_t v);
/* D where symbol S has the extent TO. */
struct dim dim_substitute(struct arena *a, struct dim d, const struct axis *s, struct dim to);

/* The number, the expression over names, or ?. */
void dim_print(struct text *out, struct dim d);

#endif
