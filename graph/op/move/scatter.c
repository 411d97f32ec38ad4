/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/scatter.c - elements and slices put, or combined, where indices say. */
#include "base/err.h"
#include "graph/op/gradient.h"
#include "graph/op/move/along.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/indices.h"

/* Operands. */
enum { X, INDICES, UPDATES };

enum merge { MERGE_NONE, MERGE_ADD, MERGE_MUL, MERGE_MAX, MERGE_MIN, MERGES };

static enum merge merge_of(const struct binding *call)
{
	static const char *const names[] = { "none", "add", "mul", "max", "min" };

	return (enum merge)call_choice(call, "reduction", names, MERGES);
}

static double merge_floats(enum merge m, double x, double y)
{
	switch (m) {
	case MERGE_ADD:
		return x + y;
	case MERGE_MUL:
		return x * y;
	case MERGE_MAX:
		return x > y || x != x ? x : y;
	case MERGE_MIN:
		return x < y || x != x ? x : y;
	case MERGE_NONE:
	case MERGES:
		break;
	}
	return y;
}

/* Wraps as the type does; of bool, sums are "or". */
static int64_t merge_ints(enum merge m, enum element e, int64_t x, int64_t y)
{
	bool less = element_class(e) == ELEMENT_CLASS_UNSIGNED ? (uint64_t)x < (uint64_t)y : x < y;

	switch (m) {
	case MERGE_ADD:
		return e == ELEMENT_BOOL ? x | y : (int64_t)((uint64_t)x + (uint64_t)y);
	case MERGE_MUL:
		return (int64_t)((uint64_t)x * (uint64_t)y);
	case MERGE_MAX:
		return less ? y : x;
	case MERGE_MIN:
		return less ? x : y;
	case MERGE_NONE:
	case MERGES:
		break;
	}
	return y;
}

/* Combines N elements of FROM, from place J on, with those of TO from place I on. */
static void merge_run(enum merge m, struct array *to, int64_t i, const struct array *from, int64_t j,
		      int64_t n)
{
	enum element e = to->element;

	if (m == MERGE_NONE) {
		memcpy(array_at(to, i), array_at(from, j), (size_t)n * element_bytes(e));
		return;
	}
	if (m == MERGE_ADD && e == ELEMENT_F32) {	/* what gradients are made of */
		float *sum = array_at(to, i);
		const float *more = array_at(from, j);

		for (int64_t k = 0; k < n; k++)
			sum[k] += more[k];
		return;
	}
	for (int64_t k = 0; k < n; k++) {
		if (element_is_float(e))
			element_store(e, to->data, i + k,
				      merge_floats(m, array_float(to, i + k),
						   array_float(from, j + k)));
		else
			element_store_int(e, to->data, i + k,
					  merge_ints(m, e, array_int(to, i + k),
						     array_int(from, j + k)));
	}
}

/* What both operators have in common: x and updates have one type, and the result that of x. */
static int scatter_type(struct infer *x)
{
	enum element e = infer_type(x, X)->element, of_updates = infer_type(x, UPDATES)->element;
	enum merge m = merge_of(x->call);

	if (m == MERGES)
		return infer_error(x, "no reduction '%s'", call_string(x->call, "reduction"));
	if (infer_class(x, X, CLASS_ANY) < 0 || infer_class(x, INDICES, CLASS_INTEGERS) < 0 ||
	    infer_class(x, UPDATES, CLASS_ANY) < 0)
		return -1;
	if (e != ELEMENT_COUNT && of_updates != ELEMENT_COUNT && e != of_updates)
		return infer_error(x, "updates of %s for %s", element_name(of_updates),
				   element_name(e));
	if (e == ELEMENT_STRING && m != MERGE_NONE)
		return infer_error(x, "strings are not combined");
	return infer_like(x, X, e == ELEMENT_COUNT ? of_updates : e);
}

static struct array *copy_of_x(struct eval *x)
{
	const struct array *from = eval_array(x, X);
	struct array *y = eval_result_like(x, 0, from);

	if (y)
		memcpy(y->data, from->data, array_bytes(y));
	return y;
}

/* By x and updates, where PUT and PICK are the same operator and its inverse. */
static int scatter_gradient(struct gradient *x, const struct core_op *put,
			    const struct core_op *pick, const struct attr_vec *attrs)
{
	struct builder *b = x->builder;
	int g = x->of_result[0], at = x->call->args[INDICES];
	enum merge m = merge_of(x->call);

	if (m != MERGE_NONE && m != MERGE_ADD)
		return err_set("%s: with reduction '%s' its gradient is not known", put->name,
			       call_string(x->call, "reduction"));
	x->of_arg[X] = m == MERGE_ADD ? g
				      : build_with(b, put, attrs, g, at,
						   along_zeros(b, x->call->args[UPDATES]));
	x->of_arg[UPDATES] = build_with(b, pick, attrs, g, at);
	return 0;
}

/* --- scatter_elements(x, indices, updates) */

static int scatter_elements_type(struct infer *x)
{
	const struct type *at = infer_type(x, INDICES), *updates = infer_type(x, UPDATES);
	int axis = 0, rank = infer_rank(x, X);
	struct dim common;

	if (rank >= 0 && infer_axis(x, call_int(x->call, "axis"), rank, &axis) < 0)
		return -1;
	if (infer_indexed(x, infer_type(x, X), at, axis) < 0)
		return -1;
	if (type_is_ranked(at) && type_is_ranked(updates)) {
		if (at->rank != updates->rank)
			return infer_error(x, "updates of rank %d, indices of rank %d",
					   updates->rank, at->rank);
		for (int i = 0; i < at->rank; i++)
			if (infer_agree(x, at->dim[i], updates->dim[i], false, &common) < 0)
				return -1;
	}
	return scatter_type(x);
}

static int scatter_elements_eval(struct eval *x)
{
	const struct array *updates = eval_array(x, UPDATES);
	struct element_picks picks;
	enum merge m = merge_of(x->call);

	if (!array_same_shape(updates, eval_array(x, INDICES)))
		return eval_error(x, "updates have not the shape of the indices");
	if (eval_picks(x, eval_array(x, X), &picks) < 0)
		return -1;
	struct array *y = copy_of_x(x);

	for (int64_t i = 0; y && i < updates->count; i++)
		merge_run(m, y, picks_next(&picks), updates, i, 1);
	return y ? 0 : -1;
}

static int scatter_elements_gradient(struct gradient *x)
{
	struct attr_vec attrs = { 0 };

	attrs_int(x->builder->arena, &attrs, "axis", call_int(x->call, "axis"));
	return scatter_gradient(x, &core_scatter_elements, &core_gather_elements, &attrs);
}

const struct core_op core_scatter_elements = {
	.name = "scatter_elements",
	.summary = "x with each of the updates put where its index says along an axis",
	.min_args = 3,
	.max_args = 3,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which" },
		{ "reduction", ATTR_STRING, 0, "none", "none, add, mul, max, min: with what is there" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = scatter_elements_type,
	.eval = scatter_elements_eval,
	.gradient = scatter_elements_gradient,
};

/* --- scatter_nd(x, indices, updates) */

static int scatter_nd_type(struct infer *x)
{
	const struct type *from = infer_type(x, X), *at = infer_type(x, INDICES);
	const struct type *updates = infer_type(x, UPDATES);
	int64_t depth;
	struct dim common;

	if (infer_tuples(x, from, at, 0, &depth) < 0)
		return -1;
	if (depth >= 0 && type_is_ranked(from) && type_is_ranked(updates)) {
		if (updates->rank != at->rank - 1 + from->rank - depth)
			return infer_error(x, "updates of rank %d", updates->rank);
		for (int i = 0; i < updates->rank; i++)
			if (infer_agree(x, updates->dim[i],
					i < at->rank - 1 ? at->dim[i]
							 : from->dim[i - (at->rank - 1) + depth],
					false, &common) < 0)
				return -1;
	}
	return scatter_type(x);
}

static int scatter_nd_eval(struct eval *x)
{
	const struct array *updates = eval_array(x, UPDATES);
	struct tuple_picks picks;
	enum merge m = merge_of(x->call);

	if (eval_tuples(x, eval_array(x, X), 0, &picks) < 0)
		return -1;
	if (picks.count && picks.inner && updates->count / picks.inner != picks.count)
		return eval_error(x, "%lld updates for %lld rows of indices",
				  (long long)updates->count, (long long)picks.count);
	struct array *y = copy_of_x(x);

	for (int64_t i = 0; y && i < picks.count && picks.inner; i++)
		merge_run(m, y, picks.offset[i], updates, i * picks.inner, picks.inner);
	return y ? 0 : -1;
}

static int scatter_nd_gradient(struct gradient *x)
{
	return scatter_gradient(x, &core_scatter_nd, &core_gather_nd, NULL);
}

const struct core_op core_scatter_nd = {
	.name = "scatter_nd",
	.summary = "x with each of the updates put where its row of indices says",
	.min_args = 3,
	.max_args = 3,
	.attrs = (const struct attr_spec[]){
		{ "reduction", ATTR_STRING, 0, "none", "none, add, mul, max, min: with what is there" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = scatter_nd_type,
	.eval = scatter_nd_eval,
	.gradient = scatter_nd_gradient,
};
