/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/rows.h - a matrix of numbers times a vector of expressions. */
#ifndef HONE_TE_DERIVE_ROWS_H
#define HONE_TE_DERIVE_ROWS_H

#include "te/derive/cook_toom.h"
#include "te/expr.h"

/* Row ROW, an index, of T, all of whose rows have floats other than 0, times X: sum over j of T[ROW, j] X[j]. What
 * rows have in common is the same node in each, so that it is computed once:
 *	x and y, where each row has both with one sign or both with opposite ones, are x + y and x - y;
 *	rows that differ in signs alone are one, E + c * O, where c has the sign that ROW chooses. */
const struct expr *transform_row(struct arena *a, const struct transform *t, const struct expr *const *x,
				 const struct expr *row);

#endif
