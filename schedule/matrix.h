/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/matrix.h - blocks of loops that are an operation on matrices, as units with tiles for these have it.
 *
 * In a nest a product is the loops of its meaning, outermost first; those of one turn are none:
 *
 *	for i in 0..16
 *		for k.1 in 0..16 reduced
 *			unrolled for k.2 in 0..4 reduced by amx_dpbusd
 *				vector for j in 0..16 of 16
 *					S[i, j] += i32(A[i, k.1 * 4 + k.2]) * i32(B[k.1, j, k.2])
 *
 * Sums that tiles hold are set to zero, and copied to memory, by such loops over rows and lanes alone. */
#ifndef HONE_SCHEDULE_MATRIX_H
#define HONE_SCHEDULE_MATRIX_H

#include "schedule/nest.h"

enum matrix_kind { MATRIX_NONE, MATRIX_ZERO, MATRIX_PRODUCT, MATRIX_COPY };

struct matrix_block {
	enum matrix_kind kind;
	const struct axis *rows, *depth, *group, *lanes;	/* NULL: it has no such loop */
	const struct intrinsic *by;	/* of a product */
	const struct nest *store;
	const struct expr *a, *b;	/* loads: operands of a product; a, what is copied */
	int64_t store_row, a_row, b_row;	/* elements from one row of these to the next */
};

/* What N is, with the loops inside of it; MATRIX_NONE where it is no such block, or begins outside of one. */
struct matrix_block matrix_block(struct arena *a, const struct nest *n);
/* The first product in LIST that adds to B; false where none does. */
bool matrix_find_product(struct arena *a, const struct nest *list, const struct buffer *b, struct matrix_block *out);
/* So many turns; 1 of no loop. */
int matrix_turns(const struct axis *axis);

#endif
