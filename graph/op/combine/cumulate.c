/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/cumulate.c - sums and products of all elements up to each along an axis. */
#include "graph/ir/infer.h"
#include "graph/op/combine/lanes.h"
#include "graph/op/gradient.h"

static int cumulate_type(struct infer *x)
{
	int rank = infer_rank(x, 0), n, axis;
	const int64_t *at = infer_ints(x, 1, &n);

	if (infer_class(x, 0, CLASS_NUMBERS) < 0 || infer_class(x, 1, CLASS_INTEGERS) < 0)
		return -1;
	if (at && n != 1)
		return infer_error(x, "%d axes", n);
	if (at && rank != RANK_UNKNOWN && infer_axis(x, at[0], rank, &axis) < 0)
		return -1;
	return infer_like(x, 0, infer_type(x, 0)->element);
}

struct order {
	bool product, exclusive, reverse;
};

/* A function NAME that goes through lanes of T, in which arithmetic is that of W. */
#define CUMULATE(name, T, W)                                                                       \
	static void name(const struct strand *l, const void *user)                                 \
	{                                                                                          \
		const struct order *o = user;                                                      \
		const T *in = l->in;                                                               \
		T *out = l->out;                                                                   \
                                                                                                   \
		for (int j = 0; j < l->n; j++) {                                                   \
			W sum = o->product;                                                        \
                                                                                                   \
			for (int64_t i = 0; i < l->extent; i++) {                                  \
				int64_t at = (o->reverse ? l->extent - 1 - i : i) * l->n + j;      \
				W v = (W)in[at], next = o->product ? sum * v : sum + v;            \
                                                                                                   \
				out[at] = (T)(o->exclusive ? sum : next);                          \
				sum = next;                                                        \
			}                                                                          \
		}                                                                                  \
	}

CUMULATE(cumulate_f64, double, double)
CUMULATE(cumulate_i64, int64_t, uint64_t)

static int cumulate_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	struct order order = { x->call->op == &core_cumprod, call_flag(x->call, "exclusive"),
			       call_flag(x->call, "reverse") };
	int axis;

	if (eval_array(x, 1)->count != 1)
		return eval_error(x, "%lld axes", (long long)eval_array(x, 1)->count);
	if (eval_axis(x, eval_int(x, 1), from->rank, &axis) < 0)
		return -1;
	struct array *y = eval_result_like(x, 0, from);

	if (y && element_is_float(from->element))
		lanes_each(x, from, axis, COMPUTE_F64, y, cumulate_f64, &order);
	else if (y)
		lanes_each(x, from, axis, compute_of(from->element), y, cumulate_i64, &order);
	return y ? 0 : -1;
}

/* The call's sums of X, from the other end. */
static int sums_back(struct gradient *x, int of)
{
	struct attr_vec attrs = { 0 };
	struct arena *a = x->builder->arena;

	attrs_int(a, &attrs, "exclusive", call_flag(x->call, "exclusive"));
	attrs_int(a, &attrs, "reverse", !call_flag(x->call, "reverse"));
	return build_with(x->builder, &core_cumsum, &attrs, of, x->call->args[1]);
}

static int cumsum_gradient(struct gradient *x)
{
	x->of_arg[0] = sums_back(x, x->of_result[0]);
	return 0;
}

/* Each element is a factor of all results behind it; where it is 0 this is not defined. */
static int cumprod_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int weighted = build(b, &core_mul, x->of_result[0], x->result);

	x->of_arg[0] = build(b, &core_div, sums_back(x, weighted), x->call->args[0]);
	return 0;
}

#define OPERATOR(id, text)                                                                         \
	const struct core_op core_##id = {                                                         \
		.name = #id,                                                                       \
		.summary = "the " text " of the elements of x up to each, along an axis",          \
		.min_args = 2,                                                                     \
		.max_args = 2,                                                                     \
		.attrs = (const struct attr_spec[]){                                               \
			{ "exclusive", ATTR_INT, 0, NULL, "1: without the element itself" },       \
			{ "reverse", ATTR_INT, 0, NULL, "1: from the end on" },                    \
			{ 0 } },                                                                   \
		.fusion = FUSION_OPAQUE,                                                           \
		.type = cumulate_type,                                                             \
		.eval = cumulate_eval,                                                             \
		.gradient = id##_gradient,                                                         \
	};

OPERATOR(cumsum, "sum")
OPERATOR(cumprod, "product")
