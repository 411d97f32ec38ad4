/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/tables.h - copies for which each axis has a table: for each place of the result that
 * of the operand. */
#ifndef HONE_GRAPH_OP_MOVE_TABLES_H
#define HONE_GRAPH_OP_MOVE_TABLES_H

#include "graph/ir/array.h"

enum { OUTSIDE = -1 };	/* in a table: a place that no element of the operand is for */

/* TO[i, j, ...] = FROM[TABLE[0][i], TABLE[1][j], ...]; elements whose place is OUTSIDE by some axis
 * stay what they are. Both have the same rank and element type. */
void tables_copy(struct array *to, const struct array *from, const int64_t *const *table);

#endif
