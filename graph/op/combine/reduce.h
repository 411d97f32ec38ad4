/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/reduce.h - what the files of reductions share. */
#ifndef HONE_GRAPH_OP_COMBINE_REDUCE_H
#define HONE_GRAPH_OP_COMBINE_REDUCE_H

#include "graph/op/combine/axes.h"
#include "graph/op/express.h"
#include "graph/op/pointwise/formula.h"

struct core_reduction {
	const struct core_op *op;
	enum primitive combine;
	enum reducer reducer;
	bool mean;	/* what is combined is divided by how many there were */
};

const struct core_reduction *reduction_of(const struct core_op *op);
/* Which axes the call X reduces. 0; 1 where that is not known yet; -1 and a message. */
int reduce_axes(struct infer *x, struct axis_set *out);

struct op *reduce_express(struct express *x);
int reduce_gradient(struct gradient *x);

#endif
