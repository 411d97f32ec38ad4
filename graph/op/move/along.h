/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/along.h - gradients of what picks elements along one axis after the other.
 *
 * Such an operator, applied to the places 0, 1, ... of an axis instead of its elements, gives the
 * places that it reads. What comes back is added up there. */
#ifndef HONE_GRAPH_OP_MOVE_ALONG_H
#define HONE_GRAPH_OP_MOVE_ALONG_H

#include "graph/op/gradient.h"

/* The extent of axis AXIS of X, as i64[1]. */
int along_extent(struct builder *b, int x, int axis);
/* Zeros like X; like the shape SHAPE with elements E. */
int along_zeros(struct builder *b, int x);
int along_fill(struct builder *b, enum element e, int shape);
/* A tensor like G, but with the EXTENT (i64[1]) along AXIS: G's slice i is added to its slice
 * INDEX[i], of integers of rank 1. */
int along_add(struct builder *b, int g, int axis, int extent, int index);
/* The gradient by operand 0. PICK gives what the operator picks along AXIS of the tensor PLACE, of
 * rank 1; VALUE_NONE: all of it as it is. */
int gradient_along(struct gradient *x, int (*pick)(struct gradient *x, int axis, int place));

#endif
