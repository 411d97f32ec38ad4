/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/transpose.h - the tangent of a call, from the operator's gradient function. */
#ifndef HONE_GRAPH_DIFF_TRANSPOSE_H
#define HONE_GRAPH_DIFF_TRANSPOSE_H

#include "graph/diff/space.h"

/* The tangent of VALUE, which CALL of values of B gave, from the TANGENTS of its operands
 * (VALUE_NONE: zero). VALUE_NONE where it is zero; VALUE_FAILED and a message. */
int transpose_pullback(struct diff *d, struct builder *b, const struct binding *call, int value,
		       const int *tangents);

#endif
