/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/piece.h - fused functions that only say where something is in memory.
 *
 * A concatenation moves nothing where its operands are computed one behind the other, nor a slice of
 * elements that lie so. Whether they do depends on how images are stored. */
#ifndef HONE_GRAPH_TASK_PIECE_H
#define HONE_GRAPH_TASK_PIECE_H

#include "graph/ir/ir.h"

/* F is a plain fused function with static types; STORED is how its parameters and result are stored, as
 * a variant has it (graph/task/variant.h); NULL: plain. */

/* The parameters of F of which its result consists, one behind the other, in OUT (in A); their number.
 * 0: F is no such concatenation. */
int concat_pieces(struct arena *a, const struct function *f, const int64_t *stored, int **out);
/* Where in parameter *PARAM of F the elements of its result begin, in elements, all one behind the
 * other; -1: F is no such slice. */
int64_t slice_piece(const struct function *f, const int64_t *stored, int *param);

#endif
