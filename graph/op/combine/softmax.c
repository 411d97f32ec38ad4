/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/softmax.c - exponentials that sum to 1 along an axis, and their logarithms. */
#include <math.h>

#include "graph/ir/infer.h"
#include "graph/op/combine/lanes.h"
#include "graph/op/express.h"
#include "graph/op/gradient.h"

static int softmax_type(struct infer *x)
{
	int rank = infer_rank(x, 0);
	int axis;

	if (infer_class(x, 0, CLASS_BIT(FLOAT)) < 0)
		return -1;
	if (rank > 0 && infer_axis(x, call_int(x->call, "axis"), rank, &axis) < 0)
		return -1;
	return infer_like(x, 0, infer_type(x, 0)->element);
}

/* The greatest in lane J, and the sum of exp(x - greatest). */
static double sum_of(const struct strand *l, int j, double *greatest)
{
	const double *in = l->in;
	double sum = 0;

	*greatest = -INFINITY;
	for (int64_t i = 0; i < l->extent; i++)
		*greatest = in[i * l->n + j] > *greatest ? in[i * l->n + j] : *greatest;
	for (int64_t i = 0; i < l->extent; i++)
		sum += exp(in[i * l->n + j] - *greatest);
	return sum;
}

static void softmax_lanes(const struct strand *l, const void *user)
{
	const bool *logarithm = user;
	const double *in = l->in;
	double *out = l->out;

	for (int j = 0; j < l->n; j++) {
		double greatest;
		double sum = sum_of(l, j, &greatest);
		double factor = 1 / sum, shift = greatest + log(sum);

		for (int64_t at = j; at < l->extent * l->n; at += l->n)
			out[at] = *logarithm ? in[at] - shift : exp(in[at] - greatest) * factor;
	}
}

static int softmax_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	bool logarithm = x->call->op == &core_log_softmax;
	int axis = 0;

	if (from->rank && eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	struct array *y = eval_result_like(x, 0, from);

	if (y)
		lanes_each(x, from, axis, COMPUTE_F64, y, softmax_lanes, &logarithm);
	return y ? 0 : -1;
}

/* AXIS counted from the front. */
static int positive_axis(const struct binding *call, int rank)
{
	int axis = (int)call_int(call, "axis");

	return axis < 0 ? axis + rank : axis;
}

static struct op *softmax_express(struct express *x)
{
	int rank = x->types[0]->rank;

	if (!x->ops[0] || rank == 0)
		return express_error(x, "there is nothing to sum over");
	return (x->call->op == &core_softmax ? op_softmax : op_log_softmax)(
		x->dag, x->ops[0], positive_axis(x->call, rank));
}

/* The sum of X along the call's axis. */
static int sum_along(struct gradient *x, int of)
{
	return build(x->builder, &core_reduce_sum, of,
		     build_ints(x->builder, 1, &(int64_t){ call_int(x->call, "axis") }));
}

/* y * (g - sum(g * y)) */
static int softmax_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int g = x->of_result[0], y = x->result;

	x->of_arg[0] = build(b, &core_mul, y,
			     build(b, &core_sub, g, sum_along(x, build(b, &core_mul, g, y))));
	return 0;
}

/* g - exp(y) * sum(g) */
static int log_softmax_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int g = x->of_result[0];

	x->of_arg[0] = build(b, &core_sub, g,
			     build(b, &core_mul, build(b, &core_exp, x->result), sum_along(x, g)));
	return 0;
}

static const struct attr_spec attrs[] = {
	{ "axis", ATTR_INT, -1, NULL, "that is summed over" },
	{ 0 },
};

const struct core_op core_softmax = {
	.name = "softmax",
	.summary = "exp(x) divided by its sum along the axis",
	.min_args = 1,
	.max_args = 1,
	.attrs = attrs,
	.fusion = FUSION_REDUCTION,
	.type = softmax_type,
	.eval = softmax_eval,
	.express = softmax_express,
	.gradient = softmax_gradient,
};

const struct core_op core_log_softmax = {
	.name = "log_softmax",
	.summary = "the logarithm of softmax",
	.min_args = 1,
	.max_args = 1,
	.attrs = attrs,
	.fusion = FUSION_REDUCTION,
	.type = softmax_type,
	.eval = softmax_eval,
	.express = softmax_express,
	.gradient = log_softmax_gradient,
};
