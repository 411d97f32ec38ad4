/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/linear.h - arithmetic on linear forms, for simplification. False: numbers beyond any index, or too
 * many terms. */
#ifndef HONE_TE_INDEX_LINEAR_H
#define HONE_TE_INDEX_LINEAR_H

#include "te/index/index.h"

/* sum += x * factor. */
bool linear_add_product(int64_t *sum, int64_t x, int64_t factor);
/* out += coef * atom. */
bool linear_add_term(struct linear *out, const struct expr *atom, int64_t coef);

/* Splits X = D * quotient + rest, where rest keeps what D does not divide. */
void linear_split(const struct linear *x, int64_t d, struct linear *quotient, struct linear *rest);

/* X and D without a part that cannot change X / D: of (16 * i + j) / 32 where j < 16 it is i / 2, and the
 * remainder is 16 * (i % 2) + j. */
struct reduced {
	struct linear x;	/* X is unit * x + small, D is unit * d */
	int64_t d;
	int64_t unit;
	struct linear small;	/* in [0, unit) */
};

bool linear_reduce(const struct linear *x, int64_t d, struct reduced *out);

#endif
