/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/pointwise.h - what the files of pointwise operators share. */
#ifndef HONE_GRAPH_OP_POINTWISE_POINTWISE_H
#define HONE_GRAPH_OP_POINTWISE_POINTWISE_H

#include "graph/op/pointwise/formula.h"

/* One line of graph/op/pointwise/pointwise.def. */
struct pointwise {
	const struct core_op *op;
	const char *signature;
	enum primitive primitive;	/* that it is; PRIMITIVE_COUNT: it is a formula */
	const char *formula;
};

const struct pointwise *pointwise_of(const struct core_op *op);

int pointwise_type(struct infer *x);
bool pointwise_elements(struct infer *x, struct dim *out);
int pointwise_eval(struct eval *x);
struct op *pointwise_express(struct express *x);
int pointwise_gradient(struct gradient *x);

#endif
