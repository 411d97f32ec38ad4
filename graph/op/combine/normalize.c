/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/normalize.c - elements scaled to variance 1 over dims: what layer, instance, group
 * and root-mean-square norms have in common. */
#include <math.h>

#include "graph/op/combine/axes.h"
#include "graph/op/express.h"
#include "graph/op/gradient.h"
#include "graph/op/pointwise/block.h"
#include "te/ops/build.h"

static int normalize_type(struct infer *x)
{
	int rank = infer_rank(x, 0), n;
	const int64_t *axis = call_ints(x->call, "axes", &n);
	struct axis_set axes;

	if (infer_class(x, 0, CLASS_BIT(FLOAT)) < 0)
		return -1;
	if (n == 0)
		return infer_error(x, "no axes");
	if (rank != RANK_UNKNOWN && axes_infer(x, rank, axis, n, &axes) < 0)
		return -1;
	return infer_like(x, 0, infer_type(x, 0)->element);
}

/* --- evaluation */

/* The elements that belong together, RUN of them side by side. */
struct together {
	const struct array *from;
	const struct walk *over;
	int64_t run;
	int64_t first;	/* offset of the first one */
	double block[BLOCK];
};

/* Reads block after block: the next *N elements and their offset; false at the end. */
static bool next_block(struct together *t, int64_t *place, int64_t *at, int *n)
{
	if (*place >= t->over->count)
		return false;
	int64_t inside = *place % t->run;

	*n = t->run - inside < BLOCK ? (int)(t->run - inside) : BLOCK;
	*at = t->first + walk_at(t->over, *place);
	*place += *n;
	compute_get(COMPUTE_F64, t->from->element, t->from->data, *at, *n, t->block);
	return true;
}

/* The mean of (x - CENTER)^POWER. */
static double moment(struct together *t, double center, int power)
{
	double sum = 0;
	int64_t place = 0, at;
	int n;

	while (next_block(t, &place, &at, &n))
		for (int i = 0; i < n; i++) {
			double v = t->block[i] - center;

			sum += power == 2 ? v * v : v;
		}
	return sum / (double)t->over->count;
}

static void normalize(struct together *t, double center, double epsilon, struct array *y)
{
	double factor = 1 / sqrt(moment(t, center, 2) + epsilon);
	int64_t place = 0, at;
	int n;

	while (next_block(t, &place, &at, &n)) {
		for (int i = 0; i < n; i++)
			t->block[i] = (t->block[i] - center) * factor;
		compute_put(COMPUTE_F64, y->element, y->data, at, n, t->block);
	}
}

static int normalize_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	struct axis_set axes;
	int n;
	const int64_t *axis = call_ints(x->call, "axes", &n);

	if (axes_eval(x, from->rank, axis, n, &axes) < 0)
		return -1;
	struct array *y = eval_result_like(x, 0, from);
	struct walk stay = walk_over(&axes, from->dim, false);
	struct walk over = walk_over(&axes, from->dim, true);
	struct together *t = eval_scratch(x, sizeof(*t));

	*t = (struct together){ .from = from, .over = &over, .run = walk_run(&over) };
	for (int64_t i = 0; y && from->count && i < stay.count; i++) {
		t->first = walk_at(&stay, i);
		normalize(t, call_flag(x->call, "center") ? moment(t, 0, 1) : 0,
			  call_float(x->call, "epsilon"), y);
	}
	return y ? 0 : -1;
}

/* --- the tensor expression */

/* The sum of BODY, which is over AXES, for each place that stays. */
static struct op *sum_over(struct dag *d, const char *name, const struct axis_set *set,
			   struct axis *const *axes, const struct expr *body)
{
	struct axis *space[TENSOR_MAX_DIMS], *over[TENSOR_MAX_DIMS];
	int n = 0, nover = 0;

	for (int i = 0; i < set->rank; i++)
		*(set->over[i] ? &over[nover++] : &space[n++]) = axes[i];
	return build_reduce(d, name, space, n, REDUCE_SUM, over, nover, body);
}

/* SUM divided by COUNT, at AXES without those it is over. */
static const struct expr *mean_at(struct dag *d, const struct op *sum, const struct axis_set *set,
				  struct axis *const *axes, double count)
{
	struct axis *space[TENSOR_MAX_DIMS];
	int n = 0;

	for (int i = 0; i < set->rank; i++)
		if (!set->over[i])
			space[n++] = axes[i];
	return build_binary_const(d, EXPR_DIV, read_axes(d, sum, space), count);
}

/* X at new AXES, less its mean where there are SUMs. */
static const struct expr *centered(struct dag *d, const struct op *x, const struct op *sum,
				   const struct axis_set *set, struct axis **axes, double count)
{
	axes_like(d, x, axes);
	const struct expr *v = read_axes(d, x, axes);

	return sum ? build_binary(d, EXPR_SUB, v, mean_at(d, sum, set, axes, count)) : v;
}

static struct op *normalize_dims(struct dag *d, struct op *x, const struct axis_set *set,
				 bool center, double epsilon)
{
	struct axis *axes[TENSOR_MAX_DIMS];
	struct op *sum = NULL;
	double count = 1;

	axes_like(d, x, axes);
	for (int i = 0; i < set->rank; i++)
		count *= set->over[i] ? (double)axes[i]->hi : 1;
	if (center)
		sum = sum_over(d, "norm_sum", set, axes, read_axes(d, x, axes));
	if (center && !sum)
		return NULL;
	const struct expr *v = centered(d, x, sum, set, axes, count);
	struct op *square = sum_over(d, "norm_square", set, axes, build_binary(d, EXPR_MUL, v, v));

	if (!square)
		return NULL;
	v = centered(d, x, sum, set, axes, count);
	const struct expr *variance =
		build_binary_const(d, EXPR_ADD, mean_at(d, square, set, axes, count), epsilon);

	return build_map(d, "normalize", axes, x->tensor.ndim,
			 build_binary(d, EXPR_DIV, v, expr_unary(d->arena, EXPR_SQRT, variance)));
}

static struct op *normalize_express(struct express *x)
{
	struct axis_set set = { .rank = x->types[0]->rank };
	bool center = call_flag(x->call, "center");
	double epsilon = call_float(x->call, "epsilon");
	const int64_t *axis;
	int n, over = 0;

	axis = call_ints(x->call, "axes", &n);
	for (int i = 0; i < n; i++)
		set.over[axis[i] < 0 ? axis[i] + set.rank : axis[i]] = true;
	for (int i = 0; i < set.rank; i++)
		over += set.over[i];
	if (!x->ops[0])
		return express_error(x, "no kernel computes with %s",
				     element_name(x->types[0]->element));
	if (center && over == 1 && set.over[set.rank - 1])
		return op_layer_norm(x->dag, x->ops[0], NULL, NULL, epsilon);
	return normalize_dims(x->dag, x->ops[0], &set, center, epsilon);
}

/* --- the gradient */

/* The mean of V over the axes of the call. */
static int mean_of(struct gradient *x, int v)
{
	int n;
	const int64_t *axis = call_ints(x->call, "axes", &n);

	return build(x->builder, &core_reduce_mean, v, build_ints(x->builder, n, axis));
}

/* (g - mean(g) - y * mean(g * y)) / sqrt(variance + epsilon); mean(g) only where x is centered. */
static int normalize_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	bool center = call_flag(x->call, "center");
	int from = x->call->args[0], y = x->result, g = x->of_result[0];
	enum element e = build_type(b, from)->element;
	int v = center ? build(b, &core_sub, from, mean_of(x, from)) : from;
	int deviation = build(
		b, &core_sqrt,
		build(b, &core_add, mean_of(x, build(b, &core_mul, v, v)),
		      build_scalar(b, e, call_float(x->call, "epsilon"))));
	int part = build(b, &core_mul, y, mean_of(x, build(b, &core_mul, g, y)));
	int rest = center ? build(b, &core_sub, g, mean_of(x, g)) : g;

	x->of_arg[0] = build(b, &core_div, build(b, &core_sub, rest, part), deviation);
	return 0;
}

const struct core_op core_normalize = {
	.name = "normalize",
	.summary = "(x - mean) / sqrt(variance + epsilon) over the axes",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "axes", ATTR_INTS, 0, NULL, "that mean and variance are taken over" },
		{ "epsilon", ATTR_FLOAT, 1e-5, NULL, "added to the variance" },
		{ "center", ATTR_INT, 1, NULL,
		  "0: nothing is subtracted, the variance is the mean square" },
		{ 0 } },
	.fusion = FUSION_REDUCTION,
	.type = normalize_type,
	.eval = normalize_eval,
	.express = normalize_express,
	.gradient = normalize_gradient,
};
