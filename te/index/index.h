/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/index.h - reasoning about index expressions: intervals, linear forms, simplification. */
#ifndef HONE_TE_INDEX_INDEX_H
#define HONE_TE_INDEX_INDEX_H

#include "te/expr.h"

/* The values an expression may take, inclusive. Saturates at +-INDEX_INFINITY. */
struct range {
	int64_t lo, hi;
};

#define INDEX_INFINITY (INT64_C(1) << 60)

/* Bounds of the integer or bool expression E over all values of its axes: exact for linear forms,
 * an enclosure otherwise. */
struct range expr_range(const struct expr *e);
struct range range_add(struct range x, struct range y);

enum { LINEAR_MAX_TERMS = 24 };

/* constant + sum of coefficient * atom; an atom is an axis, or an expression that is not linear.
 * Atoms are distinct, coefficients not zero. */
struct linear {
	int64_t constant;
	int n;
	struct {
		const struct expr *atom;
		int64_t coef;
	} term[LINEAR_MAX_TERMS];
};

/* E as a linear form. False where it has too many terms, or numbers beyond any index. Atoms that are not axes are themselves
 * simplified. */
bool linear_from(struct arena *a, const struct expr *e, struct linear *out);
const struct expr *linear_expr(struct arena *a, const struct linear *l);
/* D c (x / D) + c (x % D) becomes c x: what is read of a block and within it may lie side by side. */
void linear_rejoin(struct arena *a, struct linear *l);
/* The coefficient of AXIS (0 where it does not occur as an atom of its own). */
int64_t linear_coef(const struct linear *l, const struct axis *axis);
struct range linear_range(const struct linear *l);
struct range term_range(const struct linear *l, int i);
/* out += factor * l. False where the sum has too many terms, or numbers beyond any index; OUT is
 * then of no use. */
bool linear_add(struct linear *out, const struct linear *l, int64_t factor);
bool linear_add_expr(struct arena *a, struct linear *out, const struct expr *e, int64_t factor);

/* Known to hold at a place in the program: bool expressions, each a comparison. */
struct facts {
	const struct expr **at;
	int n, cap;
};

/* Adds the comparisons of the conjunction COND (or of its negation). */
void facts_add(struct arena *a, struct facts *f, const struct expr *cond, bool negate);
/* True where E >= BOUND (E <= BOUND) follows from the ranges of axes and the facts; false means
 * only that no proof was found. FACTS may be NULL. */
bool index_at_least(struct arena *a, const struct expr *e, int64_t bound, const struct facts *facts);
bool index_at_most(struct arena *a, const struct expr *e, int64_t bound, const struct facts *facts);
bool index_within(struct arena *a, const struct expr *e, int64_t lo, int64_t hi,
		  const struct facts *facts);

/* An equal expression, shorter where ranges allow: sums as linear forms, quotients and remainders
 * split, comparisons, min, max and select decided. Floats are only rebuilt around it. What has been
 * simplified is marked so and given back at once. */
const struct expr *expr_simplify(struct arena *a, const struct expr *e);
/* The same of E with axis FROM[i] replaced by TO[i]. */
const struct expr *expr_simplify_with(struct arena *a, const struct expr *e,
				      const struct axis *const *from, const struct expr *const *to,
				      int n);
/* E % D with what cannot change the quotient outside, so that lanes run evenly: (32 * i + 16 * j + k) % 48 where
 * k < 16 is 16 * ((2 * i + j) % 3) + k. expr_simplify leaves it: expressions of DAGs are keys. */
const struct expr *index_remainder(struct arena *a, const struct expr *e, int64_t d);

#endif
