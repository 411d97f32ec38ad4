/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_reduce.c - reductions, running sums, softmax. */
#include <math.h>

#include "graph/onnx/compose.h"

/* OP of X over the node's axes, which stay with extent 1 where KEEPDIMS. */
static int reduce_to(struct node *n, const struct core_op *op, int x, bool keepdims)
{
	struct attr_vec attrs = { 0 };

	attrs_int(n->b->arena, &attrs, "keepdims", keepdims);
	attrs_int(n->b->arena, &attrs, "noop", node_int(n, "noop_with_empty_axes", 0));
	return build_with(n->b, op, &attrs, x, compose_list(n, 1, "axes"));
}

static int reduce(struct node *n, const struct core_op *op, int x)
{
	return reduce_to(n, op, x, node_int(n, "keepdims", 1));
}

int node_reduce_sum(struct node *n)
{
	return node_give(n, 0, reduce(n, &core_reduce_sum, node_arg(n, 0)));
}

int node_reduce_mean(struct node *n)
{
	return node_give(n, 0, reduce(n, &core_reduce_mean, node_arg(n, 0)));
}

int node_reduce_max(struct node *n)
{
	return node_give(n, 0, reduce(n, &core_reduce_max, node_arg(n, 0)));
}

int node_reduce_min(struct node *n)
{
	return node_give(n, 0, reduce(n, &core_reduce_min, node_arg(n, 0)));
}

int node_reduce_prod(struct node *n)
{
	return node_give(n, 0, reduce(n, &core_reduce_prod, node_arg(n, 0)));
}

int node_reduce_l1(struct node *n)
{
	return node_give(n, 0, reduce(n, &core_reduce_sum, build(n->b, &core_abs, node_arg(n, 0))));
}

static int sum_of_squares(struct node *n)
{
	return reduce(n, &core_reduce_sum, compose_power(n->b, node_arg(n, 0), 2));
}

int node_reduce_sum_square(struct node *n)
{
	return node_give(n, 0, sum_of_squares(n));
}

/* A function of floats of what may be integers: f64 has room for them. */
static int by_floats(struct node *n, const struct core_op *op, int x)
{
	struct builder *b = n->b;

	if (!element_is_integer(compose_element(b, x)))
		return build(b, op, x);
	return compose_cast_like(b, build(b, op, compose_cast(b, x, ELEMENT_F64)), x);
}

int node_reduce_l2(struct node *n)
{
	return node_give(n, 0, by_floats(n, &core_sqrt, sum_of_squares(n)));
}

int node_reduce_log_sum(struct node *n)
{
	int sum = reduce(n, &core_reduce_sum, node_arg(n, 0));

	return node_give(n, 0, by_floats(n, &core_log, sum));
}

/* max + log(sum(exp(x - max))), where max is finite */
int node_reduce_log_sum_exp(struct node *n)
{
	struct builder *b = n->b;
	int given = node_arg(n, 0);
	bool whole = element_is_integer(compose_element(b, given));
	int x = whole ? compose_cast(b, given, ELEMENT_F64) : given;
	int greatest = reduce_to(n, &core_reduce_max, x, true);
	int finite = build(b, &core_less, build(b, &core_abs, greatest),
			   compose_number(b, x, INFINITY));
	int max = build(b, &core_where, finite, greatest, compose_number(b, x, 0));
	int parts = build(b, &core_exp, build(b, &core_sub, x, max));
	int sum = build(b, &core_log, reduce_to(n, &core_reduce_sum, parts, true));
	/* its axes have extent 1 by now: reduced once more where they are to go */
	int y = reduce(n, &core_reduce_max, build(b, &core_add, sum, max));

	return node_give(n, 0, compose_cast_like(b, y, given));
}

/* --- positions of extremes */

static int arg(struct node *n, const struct core_op *op)
{
	struct attr_vec attrs = { 0 };

	attrs_int(n->b->arena, &attrs, "axis", node_int(n, "axis", 0));
	attrs_int(n->b->arena, &attrs, "keepdims", node_int(n, "keepdims", 1));
	attrs_int(n->b->arena, &attrs, "last", node_int(n, "select_last_index", 0));
	return node_give(n, 0, build_with(n->b, op, &attrs, node_arg(n, 0)));
}

int node_arg_max(struct node *n)
{
	return arg(n, &core_arg_max);
}

int node_arg_min(struct node *n)
{
	return arg(n, &core_arg_min);
}

/* --- running sums */

static int running(struct node *n, const struct core_op *op)
{
	struct attr_vec attrs = { 0 };

	attrs_int(n->b->arena, &attrs, "exclusive", node_int(n, "exclusive", 0));
	attrs_int(n->b->arena, &attrs, "reverse", node_int(n, "reverse", 0));
	return node_give(n, 0, build_with(n->b, op, &attrs, node_arg(n, 0), node_arg(n, 1)));
}

int node_cum_sum(struct node *n)
{
	return running(n, &core_cumsum);
}

int node_cum_prod(struct node *n)
{
	return running(n, &core_cumprod);
}

/* --- softmax and its like, along one axis */

/* OP along the node's axis. Before version 13 it was one of all the axes from it on. */
static int along_axis(struct node *n, int (*op)(struct builder *b, int x, int64_t axis))
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);

	if (n->opset >= 13)
		return node_give(n, 0, op(b, x, node_int(n, "axis", -1)));
	int axis = compose_axis(b, x, node_int(n, "axis", 1));

	if (axis < 0)
		return -1;
	if (axis == compose_rank(b, x) - 1)
		return node_give(n, 0, op(b, x, axis));
	return node_give(n, 0, build(b, &core_reshape, op(b, compose_flatten(b, x, axis), 1),
				     build(b, &core_shape_of, x)));
}

static int softmax(struct builder *b, int x, int64_t axis)
{
	return build_with(b, &core_softmax, with_int(b, "axis", axis), x);
}

static int log_softmax(struct builder *b, int x, int64_t axis)
{
	return build_with(b, &core_log_softmax, with_int(b, "axis", axis), x);
}

/* 1 where the first greatest element is, else 0 */
static int hardmax(struct builder *b, int x, int64_t axis)
{
	int at = compose_axis(b, x, axis), rank = compose_rank(b, x);

	if (at < 0)
		return VALUE_FAILED;
	int best = build_with(b, &core_arg_max, with_int(b, "axis", at), x);
	int positions = compose_along(b, compose_iota(b, compose_extent(b, x, at)), rank, at);

	return compose_cast_like(b, build(b, &core_equal, positions, best), x);
}

int node_softmax(struct node *n)
{
	return along_axis(n, softmax);
}

int node_log_softmax(struct node *n)
{
	return along_axis(n, log_softmax);
}

int node_hardmax(struct node *n)
{
	return along_axis(n, hardmax);
}
