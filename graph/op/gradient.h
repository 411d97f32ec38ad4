/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/gradient.h - the gradient of a call: for the operators' gradient functions.
 *
 * Given the gradient of a scalar by each result, the calls that compute its gradient by each operand
 * are added to the function that is being built. */
#ifndef HONE_GRAPH_OP_GRADIENT_H
#define HONE_GRAPH_OP_GRADIENT_H

#include "graph/build/build.h"

struct gradient {
	struct builder *builder;
	const struct binding *call;	/* with args that are values of the builder's function */
	int result;			/* what the call gave there */
	const int *of_result;		/* for each field (one where it is no tuple) the gradient by it;
					 * VALUE_NONE: zero */
	int *of_arg;			/* to be filled in; VALUE_NONE at first: zero */
};

/* X with SHAPE, in which a 0 is an extent; with the shape of the value LIKE. */
int gradient_reshape(struct builder *b, int x, int shape);
int gradient_like(struct builder *b, int x, int like);
/* X, the gradient by a broadcast of OPERAND, summed over what was broadcast. */
int gradient_unbroadcast(struct builder *b, int x, int operand);

#endif
