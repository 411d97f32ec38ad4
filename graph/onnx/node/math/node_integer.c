/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_integer.c - products and convolutions of numbers in few bits. */
#include "graph/onnx/node/math/quantize.h"
#include "graph/onnx/node/neural/window.h"

/* A parameter of the left operand of a product: one for each row, in which case it is a column. */
static int of_rows(struct builder *b, int v)
{
	if (v == VALUE_NONE || compose_is_single(b, v) || compose_rank(b, v) != 1)
		return v;
	return compose_unsqueeze(b, v, 1);
}

/* A parameter of a weight, one for each output channel, beside a tensor whose AXIS these are. */
static int of_channels(struct builder *b, int v, int rank, int axis)
{
	if (v == VALUE_NONE)
		return v;
	return compose_is_single(b, v) ? compose_reshape(b, v, 0, NULL)
				       : compose_along(b, v, rank, axis);
}

static int product(struct builder *b, int x, int x_zero, int w, int w_zero)
{
	return build(b, &core_matmul, quantize_widen(b, x, of_rows(b, x_zero)),
		     quantize_widen(b, w, w_zero));
}

static int convolution(struct node *n, int x, int x_zero, int w, int w_zero)
{
	struct builder *b = n->b;
	struct attr_vec attrs = window_attrs(n);
	int zero = of_channels(b, w_zero, compose_rank(b, w), 0);

	attrs_int(b->arena, &attrs, "groups", node_int(n, "group", 1));
	return build_with(b, &core_conv, &attrs, quantize_widen(b, x, x_zero),
			  quantize_widen(b, w, zero));
}

/* SUM of products in the scale of the result. */
static int requantize(struct builder *b, int sum, int x_scale, int w_scale, int y_scale, int y_zero)
{
	int scale = build(b, &core_div, build(b, &core_mul, compose_cast(b, x_scale, ELEMENT_F32),
					      compose_cast(b, w_scale, ELEMENT_F32)),
			  compose_cast(b, y_scale, ELEMENT_F32));
	int y = build(b, &core_mul, compose_cast(b, sum, ELEMENT_F32), scale);

	return quantize_round(b, y, y_zero, compose_element(b, y_zero), true);
}

int node_mat_mul_integer(struct node *n)
{
	return node_give(n, 0, product(n->b, node_arg(n, 0), node_arg(n, 2), node_arg(n, 1),
				       node_arg(n, 3)));
}

int node_conv_integer(struct node *n)
{
	return node_give(n, 0, convolution(n, node_arg(n, 0), node_arg(n, 2), node_arg(n, 1),
					   node_arg(n, 3)));
}

int node_q_linear_mat_mul(struct node *n)
{
	struct builder *b = n->b;
	int sum = product(b, node_arg(n, 0), node_arg(n, 2), node_arg(n, 3), node_arg(n, 5));

	return node_give(n, 0, requantize(b, sum, of_rows(b, node_arg(n, 1)), node_arg(n, 4),
					  of_rows(b, node_arg(n, 6)),
					  of_rows(b, node_arg(n, 7))));
}

int node_q_linear_conv(struct node *n)
{
	struct builder *b = n->b;
	int sum = convolution(n, node_arg(n, 0), node_arg(n, 2), node_arg(n, 3), node_arg(n, 5));
	int rank = compose_rank(b, node_arg(n, 3));

	if (node_has(n, 8))
		sum = build(b, &core_add, sum, of_channels(b, node_arg(n, 8), rank, 1));
	return node_give(n, 0, requantize(b, sum, node_arg(n, 1),
					  of_channels(b, node_arg(n, 4), rank, 1), node_arg(n, 6),
					  node_arg(n, 7)));
}
