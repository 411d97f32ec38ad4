/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/gather.c - elements and slices picked by indices that are data. */
#include "base/err.h"
#include "graph/op/move/along.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/indices.h"
#include "graph/op/move/strided.h"

static int axis_of(const struct binding *call, int rank)
{
	return (int)index_among(call_int(call, "axis"), rank);
}

/* Axis and indices, operand 1, are as such; the element type of x, operand 0, known or not. */
static int check_picking(const struct infer *x, int *axis)
{
	int rank = infer_rank(x, 0);

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_class(x, 1, CLASS_INTEGERS) < 0)
		return -1;
	return rank < 0 ? 0 : infer_axis(x, call_int(x->call, "axis"), rank, axis);
}

/* --- gather(x, indices) */

static int gather_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0), *at = infer_type(x, 1);
	struct dim out[2 * GRAPH_MAX_RANK];
	int axis = 0, rank = 0;

	if (check_picking(x, &axis) < 0)
		return -1;
	if (!type_is_ranked(from) || !type_is_ranked(at))
		return infer_unranked(x, from->element);
	for (int i = 0; i < axis; i++)
		out[rank++] = from->dim[i];
	for (int i = 0; i < at->rank; i++)
		out[rank++] = at->dim[i];
	for (int i = axis + 1; i < from->rank; i++)
		out[rank++] = from->dim[i];
	return infer_tensor(x, from->element, rank, out);
}

static bool gather_elements_known(struct infer *x, struct dim *out)
{
	int n, count;
	const struct dim *from = infer_elements(x, 0, &n);
	const int64_t *at = infer_ints(x, 1, &count);

	for (int i = 0; from && at && i < count; i++) {
		int64_t index = index_among(at[i], n);

		if (index < 0)
			return false;	/* the evaluation says so */
		out[i] = from[index];
	}
	return from && at;
}

static int gather_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0), *at = eval_array(x, 1);
	int64_t dim[2 * GRAPH_MAX_RANK];
	int axis, rank = 0;

	if (eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	memcpy(dim, from->dim, (size_t)axis * sizeof(*dim));
	memcpy(dim + axis, at->dim, (size_t)at->rank * sizeof(*dim));
	rank = axis + at->rank;
	memcpy(dim + rank, from->dim + axis + 1, (size_t)(from->rank - axis - 1) * sizeof(*dim));
	rank += from->rank - axis - 1;
	const int64_t *index = eval_indices(x, 1, from->dim[axis]);
	struct array *y = index ? eval_result(x, 0, from->element, rank, dim) : NULL;

	if (!y)
		return -1;
	size_t bytes = element_bytes(from->element) *
		       (size_t)shape_count(from->rank - axis - 1, from->dim + axis + 1);
	int64_t outer = shape_count(axis, from->dim);
	unsigned char *to = y->data;
	const unsigned char *block = from->data;

	for (int64_t o = 0; bytes && o < outer; o++, block += bytes * (size_t)from->dim[axis])
		for (int64_t i = 0; i < at->count; i++, to += bytes)
			memcpy(to, block + bytes * (size_t)index[i], bytes);
	return 0;
}

/* Of indices that are constant and go on in even steps. */
static const struct expr *read_gathered(const struct express *x, const struct expr *const *axes)
{
	struct arena *a = x->dag->arena;
	const struct expr *index[GRAPH_MAX_RANK];
	int64_t dim[GRAPH_MAX_RANK], first, step;
	int n, rank = express_shape(x, 0, dim), inner = x->types[1]->rank;
	int axis = axis_of(x->call, rank);
	const int64_t *at = express_ints(x, 1, &n);

	if (!at)
		return NULL;
	first = index_among(at[0], dim[axis]);
	step = n > 1 ? index_among(at[1], dim[axis]) - first : 0;
	for (int i = 0; i < n; i++)
		if (first < 0 || index_among(at[i], dim[axis]) != first + i * step)
			return express_error(x, "indices without order"), NULL;
	if (inner > 1)
		return express_error(x, "indices of rank %d", inner), NULL;
	memcpy(index, axes, (size_t)axis * sizeof(*axes));
	index[axis] = expr_int(a, first);
	if (inner)
		index[axis] = expr_add(a, index[axis], expr_mul(a, axes[axis], step));
	memcpy(index + axis + 1, axes + axis + inner, (size_t)(rank - axis - 1) * sizeof(*axes));
	return express_load(x, 0, index);
}

static struct op *gather_express(struct express *x)
{
	return express_map(x, "gather", read_gathered);
}

/* All axes of the indices become one. */
static int gather_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int from = x->call->args[0], rank = build_type(b, from)->rank;

	if (rank < 0)
		return err_set("gather: its gradient needs a known rank");
	int axis = axis_of(x->call, rank);
	int shape = build(b, &core_shape_of, from);
	int before = build(b, &core_slice, shape, build_ints(b, 1, &(int64_t){ 0 }),
			   build_ints(b, 1, &(int64_t){ axis }));
	int behind = build(b, &core_slice, shape, build_ints(b, 1, &(int64_t){ axis + 1 }),
			   build_ints(b, 1, &(int64_t){ rank }));
	int index = build(b, &core_reshape, x->call->args[1],
			  build_ints(b, 1, &(int64_t){ -1 }));
	int g = gradient_reshape(b, x->of_result[0],
				 build(b, &core_concat, before, build(b, &core_shape_of, index),
				       behind));

	x->of_arg[0] = along_add(b, g, axis, along_extent(b, from, axis), index);
	return 0;
}

const struct core_op core_gather = {
	.name = "gather",
	.summary = "the slices of x along an axis that indices name, negative ones from the end",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.type = gather_type,
	.elements = gather_elements_known,
	.eval = gather_eval,
	.express = gather_express,
	.gradient = gather_gradient,
};

/* --- gather_elements(x, indices) */

static int gather_elements_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0), *at = infer_type(x, 1);
	int axis = 0;

	if (check_picking(x, &axis) < 0)
		return -1;
	if (infer_indexed(x, from, at, axis) < 0)
		return -1;
	return type_is_ranked(at)     ? infer_tensor(x, from->element, at->rank, at->dim)
	       : type_is_ranked(from) ? infer_ranked(x, from->element, from->rank)
				      : infer_unranked(x, from->element);
}

static int gather_elements_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0), *at = eval_array(x, 1);
	struct element_picks picks;

	if (eval_picks(x, from, &picks) < 0)
		return -1;
	struct array *y = eval_result(x, 0, from->element, at->rank, at->dim);
	size_t bytes = element_bytes(from->element);

	for (int64_t i = 0; y && i < y->count; i++)
		memcpy(array_at(y, i), array_at(from, picks_next(&picks)), bytes);
	return y ? 0 : -1;
}

static int gather_elements_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "axis", call_int(x->call, "axis"));
	attrs_string(b->arena, &attrs, "reduction", "add");
	x->of_arg[0] = build_with(b, &core_scatter_elements, &attrs,
				  along_zeros(b, x->call->args[0]), x->call->args[1],
				  x->of_result[0]);
	return 0;
}

const struct core_op core_gather_elements = {
	.name = "gather_elements",
	.summary = "for each of the indices the element of x that it names along an axis, the others "
		   "being its own",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = gather_elements_type,
	.eval = gather_elements_eval,
	.gradient = gather_elements_gradient,
};

/* --- gather_nd(x, indices) */

static int gather_nd_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0), *at = infer_type(x, 1);
	struct dim out[2 * GRAPH_MAX_RANK];
	int64_t batch = call_int(x->call, "batch_dims"), depth;
	int rank = 0;

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_class(x, 1, CLASS_INTEGERS) < 0)
		return -1;
	if (infer_tuples(x, from, at, batch, &depth) < 0)
		return -1;
	if (!type_is_ranked(from) || !type_is_ranked(at) || depth < 0)
		return infer_unranked(x, from->element);
	for (int i = 0; i < at->rank - 1; i++)
		out[rank++] = at->dim[i];
	for (int64_t i = batch + depth; i < from->rank; i++)
		out[rank++] = from->dim[i];
	return infer_tensor(x, from->element, rank, out);
}

static int gather_nd_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0), *at = eval_array(x, 1);
	int64_t dim[2 * GRAPH_MAX_RANK];
	struct tuple_picks picks;

	if (eval_tuples(x, from, (int)call_int(x->call, "batch_dims"), &picks) < 0)
		return -1;
	int rest = from->rank - picks.first;

	memcpy(dim, at->dim, (size_t)(at->rank - 1) * sizeof(*dim));
	memcpy(dim + at->rank - 1, from->dim + picks.first, (size_t)rest * sizeof(*dim));
	struct array *y = eval_result(x, 0, from->element, at->rank - 1 + rest, dim);
	size_t bytes = (size_t)picks.inner * element_bytes(from->element);

	for (int64_t i = 0; y && bytes && i < picks.count; i++)
		memcpy(array_at(y, i * picks.inner), array_at(from, picks.offset[i]), bytes);
	return y ? 0 : -1;
}

static int gather_nd_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	struct attr_vec attrs = { 0 };

	if (call_int(x->call, "batch_dims"))
		return err_set("gather_nd: with batch dims its gradient is not known");
	attrs_string(b->arena, &attrs, "reduction", "add");
	x->of_arg[0] = build_with(b, &core_scatter_nd, &attrs, along_zeros(b, x->call->args[0]),
				  x->call->args[1], x->of_result[0]);
	return 0;
}

const struct core_op core_gather_nd = {
	.name = "gather_nd",
	.summary = "the parts of x that the rows of indices name by one index for each of the first axes",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "batch_dims", ATTR_INT, 0, NULL, "so many axes of both are gone through together" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = gather_nd_type,
	.eval = gather_nd_eval,
	.gradient = gather_nd_gradient,
};
