/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/reduce_express.c - reductions as tensor expressions, and their
 * gradients. */
#include "graph/op/combine/reduce.h"

#include "graph/op/gradient.h"
#include "te/ops/build.h"

/* Which axes are reduced; false where they are no constant. */
static bool constant_axes(const struct binding *call, const struct type *from,
			  const struct array *list, struct axis_set *out)
{
	int64_t n = list ? list->count : 0;

	*out = n || call_flag(call, "noop") ? (struct axis_set){ .rank = from->rank }
					    : axes_all(from->rank);
	for (int64_t i = 0; i < n; i++) {
		int64_t axis = array_int(list, i);

		out->over[axis < 0 ? axis + from->rank : axis] = true;
	}
	return list || call_arg(call, 1) == VALUE_NONE;
}

/* Is it the mean of each channel's image? */
static bool is_global_pool(const struct express *x, const struct axis_set *axes)
{
	int spatial = axes->rank - 2;

	if (x->call->op != &core_reduce_mean || spatial < 1 || spatial > SPATIAL_MAX ||
	    !call_flag(x->call, "keepdims") || axes->over[0] || axes->over[1])
		return false;
	for (int i = 2; i < axes->rank; i++)
		if (!axes->over[i])
			return false;
	return true;
}

static struct op *divided(struct dag *d, struct op *sum, double count)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!sum)
		return NULL;
	axes_like(d, sum, axes);
	return build_map(d, "mean", axes, sum->tensor.ndim,
			 build_binary_const(d, EXPR_DIV, read_axes(d, sum, axes), count));
}

/* Floats; and sums of i32, whose order does not matter. */
static bool has_kernel(const struct core_reduction *r, enum dtype t)
{
	return dtype_is_float(t) || (t == DTYPE_I32 && r->reducer == REDUCE_SUM && !r->mean);
}

struct op *reduce_express(struct express *x)
{
	const struct core_reduction *r = reduction_of(x->call->op);
	struct axis *axis[TENSOR_MAX_DIMS], *space[TENSOR_MAX_DIMS], *over[TENSOR_MAX_DIMS];
	bool keep = call_flag(x->call, "keepdims");
	struct dag *d = x->dag;
	struct op *from = x->ops[0];
	struct axis_set axes;
	int n = 0, nover = 0;
	double count = 1;

	if (!from || x->call->type->rank == 0 || !has_kernel(r, from->tensor.dtype) ||
	    !constant_axes(x->call, x->types[0], x->call->nargs > 1 ? x->consts[1] : NULL, &axes))
		return express_error(x, "only floats, and sums of i32, over some dims have a kernel");
	if (is_global_pool(x, &axes))
		return op_global_avg_pool(d, from, axes.rank - 2, LAYOUT_NCHW);
	axes_like(d, from, axis);
	for (int i = 0; i < axes.rank; i++) {
		if (axes.over[i]) {
			over[nover++] = axis[i];
			count *= (double)axis[i]->hi;
		}
		if (!axes.over[i] || keep)
			space[n++] = axes.over[i] ? dag_axis(d, "one", 1) : axis[i];
	}
	if (nover == 0)
		return express_error(x, "nothing is combined");
	struct op *y = build_reduce(d, x->call->op->name, space, n, r->reducer, over, nover,
				    read_axes(d, from, axis));

	return r->mean ? divided(d, y, count) : y;
}

/* --- gradients */

/* OP of V over the axes of the call, which stay as extents of 1. */
static int kept(struct gradient *x, const struct core_op *op, int v)
{
	struct attr_vec attrs = { 0 };

	attrs_int(x->builder->arena, &attrs, "noop", call_flag(x->call, "noop"));
	return build_with(x->builder, op, &attrs, v, call_arg(x->call, 1));
}

static int elements_of(struct builder *b, int v)
{
	return build(b, &core_reduce_prod, build(b, &core_shape_of, v));
}

/* How many elements became one, as an E. */
static int share(struct gradient *x, enum element e)
{
	struct builder *b = x->builder;
	struct attr_vec to = { 0 };

	attrs_element(b->arena, &to, "to", e);
	return build_with(b, &core_cast, &to,
			  build(b, &core_div, elements_of(b, x->call->args[0]),
				elements_of(b, x->result)));
}

/* The same share for all elements of FROM that are as great, or as small, as the RESULT. */
static int of_extremes(struct gradient *x, int from, int result, int g)
{
	struct builder *b = x->builder;
	struct attr_vec to = { 0 };

	attrs_element(b->arena, &to, "to", build_type(b, from)->element);
	int is_one = build_with(b, &core_cast, &to, build(b, &core_equal, from, result));

	return build(b, &core_mul, is_one,
		     build(b, &core_div, g, kept(x, &core_reduce_sum, is_one)));
}

int reduce_gradient(struct gradient *x)
{
	const struct core_reduction *r = reduction_of(x->call->op);
	struct builder *b = x->builder;
	int from = x->call->args[0], g = x->of_result[0], y = x->result;
	enum element e = build_type(b, from)->element;

	if (!element_is_float(e))
		return 0;
	if (!call_flag(x->call, "keepdims")) {
		y = kept(x, x->call->op, from);
		g = build(b, &core_reshape, g, build(b, &core_shape_of, y));
	}
	if (r->mean)
		g = build(b, &core_div, g, share(x, e));
	if (r->reducer == REDUCE_SUM)
		x->of_arg[0] = build(b, &core_expand, g, build(b, &core_shape_of, from));
	else if (r->reducer == REDUCE_PROD)	/* not defined where an element is 0 */
		x->of_arg[0] = build(b, &core_div, build(b, &core_mul, g, y), from);
	else
		x->of_arg[0] = of_extremes(x, from, y, g);
	return 0;
}
