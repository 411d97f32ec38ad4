/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_math.c - elementwise arithmetic and activations. */
#include <math.h>

#include "graph/onnx/compose.h"

int node_mod(struct node *n)
{
	const struct core_op *op = node_int(n, "fmod", 0) ? &core_fmod : &core_mod;

	return node_give(n, 0, build(n->b, op, node_arg(n, 0), node_arg(n, 1)));
}

int node_reciprocal(struct node *n)
{
	int x = node_arg(n, 0);

	return node_give(n, 0, build(n->b, &core_div, compose_number(n->b, x, 1), x));
}

/* x0 OP x1 OP x2 ... */
static int chain(struct node *n, const struct core_op *op)
{
	int x = node_arg(n, 0);

	for (int i = 1; i < n->nargs; i++)
		x = build(n->b, op, x, node_arg(n, i));
	return x;
}

int node_sum(struct node *n)
{
	return node_give(n, 0, chain(n, &core_add));
}

int node_max(struct node *n)
{
	return node_give(n, 0, chain(n, &core_max));
}

int node_min(struct node *n)
{
	return node_give(n, 0, chain(n, &core_min));
}

int node_mean(struct node *n)
{
	return node_give(n, 0, compose_with_number(n->b, &core_div, chain(n, &core_add), n->nargs));
}

/* --- activations */

/* OP of x with the attribute ALPHA. */
static int with_alpha(struct node *n, const struct core_op *op, double alpha)
{
	const struct attr_vec *attrs = with_float(n->b, "alpha", node_float(n, "alpha", alpha));

	return build_with(n->b, op, attrs, node_arg(n, 0));
}

int node_elu(struct node *n)
{
	return node_give(n, 0, with_alpha(n, &core_elu, 1));
}

int node_celu(struct node *n)
{
	return node_give(n, 0, with_alpha(n, &core_celu, 1));
}

int node_leaky_relu(struct node *n)
{
	return node_give(n, 0, with_alpha(n, &core_leaky_relu, 0.01f));
}

int node_swish(struct node *n)
{
	return node_give(n, 0, with_alpha(n, &core_silu, 1));
}

int node_swiglu(struct node *n)
{
	int gate = with_alpha(n, &core_silu, 1);

	return node_give(n, 0, build(n->b, &core_mul, gate, node_arg(n, 1)));
}

int node_selu(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_float(n->b->arena, &attrs, "alpha", node_float(n, "alpha", 1.67326324f));
	attrs_float(n->b->arena, &attrs, "gamma", node_float(n, "gamma", 1.05070102f));
	return node_give(n, 0, build_with(n->b, &core_selu, &attrs, node_arg(n, 0)));
}

int node_hard_sigmoid(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_float(n->b->arena, &attrs, "alpha", node_float(n, "alpha", 0.2f));
	attrs_float(n->b->arena, &attrs, "beta", node_float(n, "beta", 0.5));
	return node_give(n, 0, build_with(n->b, &core_hard_sigmoid, &attrs, node_arg(n, 0)));
}

int node_thresholded_relu(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	int alpha = compose_number(b, x, node_float(n, "alpha", 1));

	return node_give(n, 0, build(b, &core_where, compose_greater(b, x, alpha), x,
				     compose_number(b, x, 0)));
}

int node_shrink(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	double lambda = node_float(n, "lambd", 0.5), bias = node_float(n, "bias", 0);
	int below = build(b, &core_less, x, compose_number(b, x, -lambda));
	int above = compose_greater(b, x, compose_number(b, x, lambda));
	int high = build(b, &core_where, above, compose_with_number(b, &core_sub, x, bias),
			  compose_number(b, x, 0));

	return node_give(n, 0, build(b, &core_where, below,
				     compose_with_number(b, &core_add, x, bias), high));
}

/* Before version 7 a slope for each channel is not broadcast from the last axis. */
int node_prelu_of_channels(struct node *n)
{
	int x = node_arg(n, 0), slope = node_arg(n, 1);

	if (!compose_is_single(n->b, slope))
		slope = compose_along(n->b, slope, compose_rank(n->b, x), 1);
	return node_give(n, 0, build(n->b, &core_prelu, x, slope));
}

/* x * tanh(softplus(x)) */
int node_mish(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	int gate = build(b, &core_tanh, build(b, &core_softplus, x));

	return node_give(n, 0, build(b, &core_mul, x, gate));
}

/* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) [Hendrycks and Gimpel 2016] */
static int gelu_by_tanh(struct builder *b, int x)
{
	int cube = build(b, &core_mul, build(b, &core_mul, x, x), x);
	int inner = build(b, &core_add, x, compose_with_number(b, &core_mul, cube, 0.044715));
	int gate = build(b, &core_tanh, compose_with_number(b, &core_mul, inner, sqrt(M_2_PI)));

	return build(b, &core_mul, compose_with_number(b, &core_mul, x, 0.5),
		     compose_with_number(b, &core_add, gate, 1));
}

int node_gelu(struct node *n)
{
	int x = node_arg(n, 0);
	bool by_tanh = strcmp(node_string(n, "approximate", "none"), "tanh") == 0;

	return node_give(n, 0, by_tanh ? gelu_by_tanh(n->b, x) : build(n->b, &core_gelu, x));
}

int node_clip(struct node *n)
{
	int x = node_arg(n, 0);

	return node_give(n, 0, build(n->b, &core_clip, x, compose_scalar(n, 1, "min", x),
				     compose_scalar(n, 2, "max", x)));
}
