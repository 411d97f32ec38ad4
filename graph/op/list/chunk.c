/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/list/chunk.c - a tensor as a sequence of its parts, and back. */
#include <stdlib.h>

#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"

/* --- concat_sequence(s) */

static int join_type(struct infer *x)
{
	const struct type *s = infer_type(x, 0);
	const struct type *of = s->kind == TYPE_SEQUENCE ? s->field[0] : &type_unknown;
	bool added = call_flag(x->call, "new_axis");
	struct dim dim[GRAPH_MAX_RANK + 1];
	int axis, next = 0;

	if (s->kind != TYPE_UNKNOWN && s->kind != TYPE_SEQUENCE)
		return infer_error(x, "operand 0 is no sequence");
	if (!type_is_ranked(of))
		return infer_unranked(x, of->element);
	int rank = of->rank + added;

	if (infer_axis(x, call_int(x->call, "axis"), rank, &axis) < 0)
		return -1;
	for (int i = 0; i < rank; i++) {
		if (i != axis || !added)
			dim[i] = of->dim[next++];
		if (i == axis)
			dim[i] = dim_unknown();
	}
	return infer_tensor(x, of->element, rank, dim);
}

/* The shape that item I has in the result. */
static int item_shape(const struct eval *x, int i, int axis, bool added, int64_t *dim)
{
	const struct array *item = eval_value(x, 0).items->at[i].array;
	int rank = item->rank + added;

	for (int d = 0, next = 0; d < rank; d++)
		dim[d] = added && d == axis ? 1 : item->dim[next++];
	return rank;
}

static int join_eval(struct eval *x)
{
	const struct items *s = eval_value(x, 0).items;
	bool added = call_flag(x->call, "new_axis");
	int64_t dim[GRAPH_MAX_RANK + 1], part[GRAPH_MAX_RANK + 1], stride[GRAPH_MAX_RANK];
	int64_t first = 0;
	int axis;

	if (s->n == 0)
		return eval_error(x, "an empty sequence");
	const struct array *head = s->at[0].array;

	if (eval_axis(x, call_int(x->call, "axis"), head->rank + added, &axis) < 0)
		return -1;
	int rank = item_shape(x, 0, axis, added, dim);

	for (int i = 1; i < s->n; i++) {
		if (item_shape(x, i, axis, added, part) != rank ||
		    s->at[i].array->element != head->element)
			return eval_error(x, "tensor %d has another rank or type", i);
		for (int d = 0; d < rank; d++)
			if (d != axis && part[d] != dim[d])
				return eval_error(x, "tensor %d has another shape", i);
		dim[axis] += part[axis];
	}
	struct array *y = eval_result(x, 0, head->element, rank, dim);

	if (!y)
		return -1;
	dense_strides(rank, dim, stride);
	for (int i = 0; i < s->n; i++) {
		struct strided copy = { .rank = rank };

		item_shape(x, i, axis, added, copy.extent);
		memcpy(copy.to, stride, sizeof(stride));
		dense_strides(rank, copy.extent, copy.from);
		if (s->at[i].array->count)
			strided_copy(&copy, array_at(y, first * stride[axis]), s->at[i].array->data,
				     element_bytes(y->element));
		first += copy.extent[axis];
	}
	return 0;
}

const struct core_op core_concat_sequence = {
	.name = "concat_sequence",
	.summary = "the tensors of a sequence one behind the other along an axis",
	.min_args = 1,
	.max_args = 1,
	.any = 1,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which, of the result" },
		{ "new_axis", ATTR_INT, 0, NULL, "1: the axis is a new one" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = join_type,
	.eval = join_eval,
};

/* --- split_sequence(x, split?) */

static int split_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0), *of = type_unranked(x->arena, from->element);
	struct dim dim[GRAPH_MAX_RANK];
	bool dropped = !infer_has(x, 1) && !call_flag(x->call, "keepdims");
	int axis, rank = 0;

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_list(x, 1) < 0)
		return -1;
	if (type_is_ranked(from)) {
		if (infer_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
			return -1;
		for (int i = 0; i < from->rank; i++)
			if (i != axis)
				dim[rank++] = from->dim[i];
			else if (!dropped)
				dim[rank++] = infer_has(x, 1) ? dim_unknown() : dim_number(1);
		of = type_tensor(x->arena, from->element, rank, dim);
	}
	x->result = type_sequence(x->arena, of);
	return 0;
}

/* The sizes of the parts of EXTENT: SPLIT's numbers, or pieces of the one that it is, or of 1; their
 * number in *N; NULL and a message where they are not the extent together. */
static const int64_t *sizes(struct eval *x, int64_t extent, int *n)
{
	const struct array *split = eval_array(x, 1);
	const int64_t *given = eval_ints(x, 1, n);
	int64_t sum = 0;

	if (split && split->rank) {
		for (int i = 0; i < *n; i++) {
			if (given[i] < 0 || given[i] > extent - sum) {
				eval_error(x, "part %d of %lld, of extent %lld", i,
					   (long long)given[i], (long long)extent);
				return NULL;
			}
			sum += given[i];
		}
		if (sum != extent)
			eval_error(x, "parts of %lld together, of extent %lld", (long long)sum,
				   (long long)extent);
		return sum == extent ? given : NULL;
	}
	int64_t piece = split ? given[0] : 1;
	int64_t count = piece > 0 ? extent / piece + (extent % piece > 0) : -1;

	if (count < 0 || count > INT32_MAX) {
		eval_error(x, "parts of %lld, of extent %lld", (long long)piece, (long long)extent);
		return NULL;
	}
	int64_t *even = eval_scratch(x, (size_t)(count + 1) * sizeof(*even));

	*n = (int)count;
	for (int i = 0; i < *n; i++)
		even[i] = i < *n - 1 ? piece : extent - piece * (count - 1);
	return even;
}

/* The part of FROM that begins at FIRST along AXIS, of SIZE there; without the axis where DROPPED. */
static struct array *cut_part(const struct array *from, int axis, int64_t first, int64_t size,
			      bool dropped)
{
	struct strided s = { .rank = from->rank };
	int64_t dim[GRAPH_MAX_RANK];
	int rank = 0;

	memcpy(s.extent, from->dim, sizeof(s.extent));
	s.extent[axis] = size;
	dense_strides(from->rank, from->dim, s.from);
	dense_strides(from->rank, s.extent, s.to);
	for (int i = 0; i < from->rank; i++)
		if (i != axis || !dropped)
			dim[rank++] = s.extent[i];
	struct array *y = array_new(from->element, rank, dim);

	if (y && y->count)
		strided_copy(&s, y->data, array_at(from, first * s.from[axis]),
			     element_bytes(from->element));
	return y;
}

static int split_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	bool dropped = !eval_has(x, 1) && !call_flag(x->call, "keepdims");
	int64_t first = 0;
	int axis, n;

	if (eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	const int64_t *size = sizes(x, from->dim[axis], &n);

	if (!size)
		return -1;
	struct value *at = values_new(n);

	for (int i = 0; i < n; i++) {
		struct array *part = cut_part(from, axis, first, size[i], dropped);

		if (!part) {
			values_release(at, i);
			free(at);
			return -1;
		}
		at[i] = value_of_array(part);
		first += size[i];
	}
	struct value v = value_of_items(VALUE_SEQUENCE, n, at);

	v.element = from->element;
	free(at);
	eval_give(x, 0, v);
	return 0;
}

const struct core_op core_split_sequence = {
	.name = "split_sequence",
	.summary = "the parts of x along an axis: of the sizes that split lists, of split each, or of 1",
	.min_args = 1,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which" },
		{ "keepdims", ATTR_INT, 1, NULL, "0: parts of 1 lose the axis, without split" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = split_type,
	.eval = split_eval,
};
