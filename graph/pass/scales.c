/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/scales.c - what scales and shifts the result of a product goes into its weight and
 * bias.
 *
 * Requires: `dead` before it, or values that nobody reads count as readers.
 * Provides: behind a convolution or product of a constant weight no multiplication by constants
 *           that go by the channel, and one addition of such at most; no two additions or
 *           multiplications of constants in a row. Batch norms go away so.
 * Keeps:    what the graph computes but for rounding, and for overflow of what is scaled down; what
 *           has other readers. */
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"

/* An operator whose weight, operand 1, is linear in its result. */
enum { WEIGHT = 1 };

static const struct binding *call_of(const struct builder *b, int value)
{
	const struct binding *at = value < 0 ? NULL : build_at(b, value);

	return at && at->kind == BIND_CALL ? at : NULL;
}

static const struct array *float_const(const struct builder *b, int value)
{
	const struct array *c = value < 0 ? NULL : build_array(b, value);

	return c && element_is_float(c->element) ? c : NULL;
}

static bool is_scale(const struct core_op *op)
{
	return op == &core_mul || op == &core_div;
}

static bool is_shift(const struct core_op *op)
{
	return op == &core_add || op == &core_sub;
}

/* A call of OP on Y and a constant C: which operand is which; false where it is none. */
static bool split(const struct builder *b, const struct core_op *op, const int *args, int *y,
		  int *c)
{
	bool commutes = op == &core_add || op == &core_mul;
	bool swap = commutes && float_const(b, args[0]);

	*y = args[swap];
	*c = args[!swap];
	return float_const(b, *c) && !build_array(b, *y);
}

/* Is Y a product of a constant weight that nobody else reads? Its call; else NULL. */
static const struct binding *product_of(const struct rewrite *x, int y)
{
	const struct binding *call = call_of(x->builder, y);

	if (!call || (call->op != &core_conv && call->op != &core_conv_transpose &&
		      call->op != &core_matmul))
		return NULL;
	return rewrite_uses(x, y) == 1 && float_const(x->builder, call->args[WEIGHT]) &&
			       type_is_ranked(call->type)
		       ? call : NULL;
}

/* Does C, broadcast to the result of CALL, differ along its channels alone? */
static bool goes_by_channel(const struct binding *call, const struct array *c)
{
	int rank = call->type->rank;
	int channel = call->op == &core_matmul ? rank - 1 : 1;

	for (int i = 0; i < c->rank; i++)
		if (c->dim[i] != 1 && i + rank - c->rank != channel)
			return false;
	return c->rank <= rank;
}

/* Which dim of the weight of CALL its channels are; -1 where that is none. */
static int weight_channel(const struct binding *call, const struct array *weight)
{
	if (call->op == &core_conv)
		return 0;
	if (call->op == &core_conv_transpose)
		return call_int(call, "groups") == 1 ? 1 : -1;
	return weight->rank < 2 ? -1 : weight->rank - (call_flag(call, "trans_b") ? 2 : 1);
}

/* OP (mul, div) of Y, a product, by C, done on its weight; VALUE_NONE where that cannot be. */
static int scale_weight(struct rewrite *x, const struct core_op *op, int y, int c)
{
	struct builder *b = x->builder;
	const struct binding *call = product_of(x, y);
	const struct array *factor = build_array(b, c);
	const struct array *weight = call ? build_array(b, call->args[WEIGHT]) : NULL;
	int channel = call ? weight_channel(call, weight) : -1;
	int64_t dim[GRAPH_MAX_RANK];

	if (channel < 0 || !goes_by_channel(call, factor) ||
	    (factor->count != 1 && factor->count != weight->dim[channel]))
		return VALUE_NONE;
	for (int i = 0; i < weight->rank; i++)
		dim[i] = i == channel ? factor->count : 1;
	int by = build_const(b, array_around(b->arena, factor->element, weight->rank, dim,
					     factor->data));
	int scaled = build(b, op, call->args[WEIGHT], by);

	if (!float_const(b, scaled))
		return VALUE_NONE;	/* beyond the graph's budget */
	return build_copy(b, build_at(b, y), (int[]){ build_at(b, y)->args[0], scaled }, NULL);
}

/* The constant C OP D; VALUE_NONE where it has more elements than either. */
static int combine(struct builder *b, const struct core_op *op, int c, int d)
{
	int64_t most = build_array(b, c)->count;

	if (build_array(b, d)->count > most)
		most = build_array(b, d)->count;
	int both = build(b, op, c, d);
	const struct array *known = float_const(b, both);

	return known && known->count <= most ? both : VALUE_NONE;
}

/* OUTER (mul, div) by C of Y, which scales or shifts by a constant itself. */
static int scale(struct rewrite *x, const struct core_op *outer, int y, int c)
{
	struct builder *b = x->builder;
	const struct binding *call = call_of(b, y);
	int scaled = scale_weight(x, outer, y, c);
	int z, d;

	if (scaled != VALUE_NONE)
		return scaled;
	if (!call || !(is_scale(call->op) || is_shift(call->op)) || rewrite_uses(x, y) != 1 ||
	    !split(b, call->op, call->args, &z, &d))
		return VALUE_NONE;
	const struct core_op *inner = call->op;

	if (is_shift(inner)) {
		scaled = scale_weight(x, outer, z, c);
		d = scaled < 0 ? VALUE_NONE : combine(b, outer, d, c);
		return d < 0 ? VALUE_NONE : build(b, inner, scaled, d);
	}
	/* (z * d) / c = z * (d / c), (z / d) * c = z / (d / c), (z / d) / c = z / (d * c) */
	d = combine(b, inner == outer ? &core_mul : &core_div, d, c);
	return d < 0 ? VALUE_NONE : build(b, inner, z, d);
}

/* OUTER (add, sub) of C and Y, which is shifted by a constant itself or a product. */
static int shift(struct rewrite *x, const struct core_op *outer, int y, int c)
{
	struct builder *b = x->builder;
	const struct binding *call = call_of(b, y);
	int z, d;

	if (outer == &core_sub && product_of(x, y))
		return build(b, &core_add, y, build(b, &core_neg, c));
	if (!call || !is_shift(call->op) || rewrite_uses(x, y) != 1 ||
	    !split(b, call->op, call->args, &z, &d))
		return VALUE_NONE;
	const struct core_op *inner = call->op;

	/* (z + d) - c = z + (d - c), (z - d) + c = z - (d - c), (z - d) - c = z - (d + c) */
	d = combine(b, inner == outer ? &core_add : &core_sub, d, c);
	return d < 0 ? VALUE_NONE : build(b, inner, z, d);
}

static int absorb(struct rewrite *x, int value, const int *args)
{
	const struct binding *b = function_at(x->function, value);
	int y, c, made = VALUE_NONE;

	if (b->kind != BIND_CALL || !(is_scale(b->op) || is_shift(b->op)) ||
	    !split(x->builder, b->op, args, &y, &c))
		return REWRITE_COPY;
	made = is_scale(b->op) ? scale(x, b->op, y, c) : shift(x, b->op, y, c);
	return made == VALUE_NONE ? REWRITE_COPY : made;
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	return rewrite_graph(a, g, &(struct rewriter){ .binding = absorb });
}

const struct pass pass_scales = {
	.name = "scales",
	.summary = "scales and shifts behind a product go into its weight and bias",
	.run = run,
};
