/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/slice.h - slices that are a piece of memory. */
#ifndef HONE_GRAPH_OP_MOVE_SLICE_H
#define HONE_GRAPH_OP_MOVE_SLICE_H

#include "graph/ir/ir.h"

/* Where in its operand the elements of B begin, a call of slice in F with static types; -1 where they
 * do not lie one behind the other there or the function does not say which they are. */
int64_t slice_begin(const struct function *f, const struct binding *b);

#endif
