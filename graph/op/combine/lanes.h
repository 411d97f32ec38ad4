/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/lanes.h - what works along one axis of a tensor, some places beside that at once. */
#ifndef HONE_GRAPH_OP_COMBINE_LANES_H
#define HONE_GRAPH_OP_COMBINE_LANES_H

#include "graph/eval/eval.h"
#include "graph/op/pointwise/block.h"

/* All elements of N places along the axis: that of step I in lane J is in[i * n + j], of the type that
 * is computed in. So are the results, of as many steps or of one. */
struct strand {
	int64_t extent;
	int n;
	const void *in;
	void *out;
};

/* Calls EACH until all of FROM is through; TO has the shape of FROM, or an extent of 1 or no dim in the
 * place of AXIS. */
void lanes_each(struct eval *x, const struct array *from, int axis, enum compute c,
		struct array *to, void (*each)(const struct strand *l, const void *user),
		const void *user);

#endif
