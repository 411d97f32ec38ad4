/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/rows.h - a matrix of numbers times a vector of expressions. */
#ifndef HONE_TE_DERIVE_ROWS_H
#define HONE_TE_DERIVE_ROWS_H

#include "te/derive/cook_toom.h"
#include "te/expr.h"

/* OUT[i] = sum over j of T[i, j] X[j], for all rows of T, which have floats other than 0. What rows have in common
 * is the same node in each, so that a compiler computes it once:
 *	x and y, where each row has both with one sign or both with opposite ones, are x + y and x - y;
 *	rows that differ in signs alone are E + O and E - O. */
void transform_rows(struct arena *a, const struct transform *t, const struct expr *const *x,
		    const struct expr **out);

#endif
