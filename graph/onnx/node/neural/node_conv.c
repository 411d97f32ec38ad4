/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_conv.c - convolutions. */
#include "graph/onnx/node/neural/window.h"

/* Y with the bias of operand I added, where there is one. */
static int with_bias(struct node *n, int y, int i)
{
	if (!node_has(n, i))
		return y;
	int bias = compose_along(n->b, node_arg(n, i), compose_rank(n->b, y), 1);

	return build(n->b, &core_add, y, bias);
}

int node_conv(struct node *n)
{
	struct attr_vec attrs = window_attrs(n);

	attrs_int(n->b->arena, &attrs, "groups", node_int(n, "group", 1));
	return node_give(n, 0, with_bias(n, build_with(n->b, &core_conv, &attrs, node_arg(n, 0),
						       node_arg(n, 1)), 2));
}

int node_conv_transpose(struct node *n)
{
	struct attr_vec attrs = window_attrs(n);

	attrs_int(n->b->arena, &attrs, "groups", node_int(n, "group", 1));
	window_list(n, &attrs, "output_padding", "output_padding");
	window_list(n, &attrs, "output_shape", "output_shape");
	return node_give(n, 0, with_bias(n, build_with(n->b, &core_conv_transpose, &attrs,
						       node_arg(n, 0), node_arg(n, 1)), 2));
}

int node_deform_conv(struct node *n)
{
	struct attr_vec attrs = window_attrs(n);

	attrs_int(n->b->arena, &attrs, "groups", node_int(n, "group", 1));
	attrs_int(n->b->arena, &attrs, "offset_groups", node_int(n, "offset_group", 1));
	return node_give(n, 0, with_bias(n, build_with(n->b, &core_deform_conv, &attrs,
						       node_arg(n, 0), node_arg(n, 1),
						       node_arg(n, 2), node_arg(n, 4)), 3));
}

/* A depthwise convolution of one dim that sees the past alone: what came before x is the state. */
int node_causal_conv_with_state(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), w = node_arg(n, 1), past = node_arg(n, 3);
	const struct type *t = build_type(b, w);
	const char *activation = node_string(n, "activation", "none");
	int64_t dim[GRAPH_MAX_RANK];

	if (!type_shape(t, dim) || t->rank != 3 || dim[2] < 1)
		return node_error(n, "a weight of known extents [channels, 1, k] is wanted");
	if (past == VALUE_NONE) {
		int extents[] = { compose_extent(b, x, 0),
				  build_ints(b, INTS(dim[0], dim[2] - 1)) };

		past = build(b, &core_fill, compose_concat(b, 0, 2, extents),
			     compose_number(b, x, 0));
	}
	int all = compose_concat(b, 2, VALUES(past, x));
	int y = with_bias(n, build_with(b, &core_conv, with_int(b, "groups", dim[0]), all, w), 2);

	if (strcmp(activation, "none") != 0)
		y = build(b, &core_silu, y);
	int begin = build(b, &core_sub, compose_extent(b, all, 2), build_int(b, dim[2] - 1));

	if (node_give(n, 0, y) < 0)
		return -1;
	return node_give(n, 1, build(b, &core_slice, all, begin, compose_extent(b, all, 2),
				     build_ints(b, INTS(2))));
}
