/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/shape/node_shape.c - operators that ask for shapes and change them. */
#include "graph/onnx/compose.h"

int node_reshape(struct node *n)
{
	struct attr_vec attrs = { 0 };

	if (node_int(n, "allowzero", 0))
		attrs_int(n->b->arena, &attrs, "allowzero", 1);
	return node_give(n, 0, build_with(n->b, &core_reshape, &attrs, node_arg(n, 0),
					  node_arg(n, 1)));
}

/* Dims [start, end) of the shape, which count from the back where they are negative. */
int node_shape(struct node *n)
{
	int shape = build(n->b, &core_shape_of, node_arg(n, 0));

	if (node_has_attr(n, "start") || node_has_attr(n, "end"))
		shape = compose_slice(n->b, shape, 0, node_int(n, "start", 0),
				      node_int(n, "end", INT64_MAX));
	return node_give(n, 0, shape);
}

int node_squeeze(struct node *n)
{
	return node_give(n, 0, build(n->b, &core_squeeze, node_arg(n, 0),
				     compose_list(n, 1, "axes")));
}

int node_unsqueeze(struct node *n)
{
	return node_give(n, 0, build(n->b, &core_unsqueeze, node_arg(n, 0),
				     compose_list(n, 1, "axes")));
}

int node_flatten(struct node *n)
{
	int x = node_arg(n, 0), rank = compose_rank(n->b, x);
	int64_t axis = node_int(n, "axis", 1);

	if (rank < 0)
		return -1;
	if (axis < -rank || axis > rank)
		return node_error(n, "axis %lld of %d dims", (long long)axis, rank);
	return node_give(n, 0, compose_flatten(n->b, x, (int)(axis < 0 ? axis + rank : axis)));
}

int node_size(struct node *n)
{
	return node_give(n, 0, compose_count(n->b, node_arg(n, 0)));
}
