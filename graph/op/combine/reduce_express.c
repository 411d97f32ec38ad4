/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/reduce_express.c - reductions as tensor expressions, and their gradients. */
#include "graph/op/combine/reduce.h"

#include "base/err.h"
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

	if (!from || x->call->type->rank == 0 || !dtype_is_float(from->tensor.dtype) ||
	    !constant_axes(x->call, x->types[0], x->call->nargs > 1 ? x->consts[1] : NULL, &axes))
		return express_error(x, "only floats over some dims have a kernel");
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
		return from;
	struct op *y = build_reduce(d, x->call->op->name, space, n, r->reducer, over, nover,
				    read_axes(d, from, axis));

	return r->mean ? divided(d, y, count) : y;
}
