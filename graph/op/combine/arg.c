/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/arg.c - where along an axis the greatest and the least elements are. */
#include <math.h>

#include "graph/ir/infer.h"
#include "graph/op/combine/axes.h"
#include "graph/op/combine/lanes.h"

static int arg_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	bool keep = call_flag(x->call, "keepdims");
	struct dim out[GRAPH_MAX_RANK];
	int axis, n = 0;

	if (infer_class(x, 0, CLASS_NUMBERS) < 0)
		return -1;
	if (!type_is_ranked(from))
		return infer_unranked(x, ELEMENT_I64);
	if (infer_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	for (int i = 0; i < from->rank; i++)
		if (i != axis || keep)
			out[n++] = i == axis ? dim_number(1) : from->dim[i];
	return infer_tensor(x, ELEMENT_I64, n, out);
}

struct preference {
	bool greatest;
	bool last;	/* of equal ones */
};

#define NEVER(v) false
/* A function NAME that chooses in lanes of T; the first NaN wins. */
#define CHOOSE(name, T, ISNAN)                                                                     \
	static void name(const struct strand *l, const void *user)                                 \
	{                                                                                          \
		const struct preference *p = user;                                                     \
		const T *in = l->in;                                                               \
                                                                                                   \
		for (int j = 0; j < l->n; j++) {                                                   \
			int64_t best = 0;                                                          \
                                                                                                   \
			for (int64_t i = 1; i < l->extent; i++) {                                  \
				T v = in[i * l->n + j], b = in[best * l->n + j];                   \
                                                                                                   \
				if (ISNAN(b))                                                      \
					break;                                                     \
				if (ISNAN(v) || (p->greatest ? v > b : v < b) ||                   \
				    (p->last && !(v < b) && !(v > b)))                             \
					best = i;                                                  \
			}                                                                          \
			((T *)l->out)[j] = (T)best;                                                \
		}                                                                                  \
	}

CHOOSE(choose_f64, double, isnan)
CHOOSE(choose_i64, int64_t, NEVER)
CHOOSE(choose_u64, uint64_t, NEVER)

static int arg_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	struct preference preference = { x->call->op == &core_arg_max, call_flag(x->call, "last") };
	int64_t dim[GRAPH_MAX_RANK];
	int axis;

	if (eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	if (from->dim[axis] == 0)
		return eval_error(x, "there is nothing along axis %d", axis);
	struct axis_set axes = axes_one(from->rank, axis);
	struct array *y =
		eval_result(x, 0, ELEMENT_I64,
			    axes_left(&axes, from->dim, call_flag(x->call, "keepdims"), dim), dim);
	enum compute c = compute_of(from->element);

	if (!y)
		return -1;
	if (c == COMPUTE_I64)
		lanes_each(x, from, axis, c, y, choose_i64, &preference);
	else if (c == COMPUTE_U64)
		lanes_each(x, from, axis, c, y, choose_u64, &preference);
	else
		lanes_each(x, from, axis, COMPUTE_F64, y, choose_f64, &preference);
	return 0;
}

#define OPERATOR(id, text)                                                                         \
	const struct core_op core_##id = {                                                         \
		.name = #id,                                                                       \
		.summary = "the place along the axis where x is " text,                            \
		.min_args = 1,                                                                     \
		.max_args = 1,                                                                     \
		.attrs = (const struct attr_spec[]){                                               \
			{ "axis", ATTR_INT, 0, NULL, "that is searched" },                         \
			{ "keepdims", ATTR_INT, 1, NULL, "1: the axis stays, with an extent of 1" }, \
			{ "last", ATTR_INT, 0, NULL, "1: of equal ones the last" },                \
			{ 0 } },                                                                   \
		.fusion = FUSION_OPAQUE,                                                           \
		.type = arg_type,                                                                  \
		.eval = arg_eval,                                                                  \
	};

OPERATOR(arg_max, "greatest")
OPERATOR(arg_min, "least")
