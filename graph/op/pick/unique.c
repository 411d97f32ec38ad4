/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pick/unique.c - different elements or slices, and time turned round. */
#include <math.h>
#include <stdlib.h>

#include "graph/op/gradient.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"

/* --- unique(x) */

static int unique_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim dim[GRAPH_MAX_RANK], some = dim_unknown();
	const struct type *list = type_tensor(x->arena, ELEMENT_I64, 1, &some);
	const struct type *fields[4] = { type_tensor(x->arena, from->element, 1, &some), list, list,
					 list };
	int axis;

	if (infer_class(x, 0, CLASS_ANY) < 0)
		return -1;
	if (!call_flag(x->call, "flat")) {
		fields[0] = type_unranked(x->arena, from->element);
		if (type_is_ranked(from)) {
			if (infer_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
				return -1;
			memcpy(dim, from->dim, (size_t)from->rank * sizeof(*dim));
			dim[axis] = some;
			fields[0] = type_tensor(x->arena, from->element, from->rank, dim);
		}
	}
	return infer_tuple(x, 4, fields);
}

static int compare_elements(const struct array *x, int64_t i, int64_t j)
{
	if (x->element == ELEMENT_STRING)
		return strcmp(array_string(x, i), array_string(x, j));
	if (!element_is_float(x->element)) {
		int64_t a = array_int(x, i), b = array_int(x, j);

		return element_class(x->element) == ELEMENT_CLASS_UNSIGNED
			       ? ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b)
			       : (a > b) - (a < b);
	}
	double a = array_float(x, i), b = array_float(x, j);

	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

/* Slices as the rows of a matrix. */
struct slices {
	const struct array *x;
	int64_t n, length;
};

static int compare_rows(const struct slices *r, int64_t i, int64_t j)
{
	int c = 0;

	for (int64_t k = 0; k < r->length && c == 0; k++)
		c = compare_elements(r->x, i * r->length + k, j * r->length + k);
	return c;
}

static int order_rows(const void *a, const void *b, void *rows)
{
	int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
	int c = compare_rows(rows, i, j);

	return c ? c : (i > j) - (i < j);
}

/* The first row of each kind. */
struct distinct {
	int64_t first, count;
	int64_t number;		/* in the order of the values */
};

static int by_first(const void *a, const void *b)
{
	const struct distinct *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* The kinds of rows in the order of their values, their number; KIND_OF: that of each row. */
static int64_t find_kinds(struct eval *x, const struct slices *r, struct distinct *kinds,
			  int64_t *kind_of)
{
	int64_t *order = eval_scratch(x, (size_t)(r->n + 1) * sizeof(*order));
	int64_t n = 0;

	for (int64_t i = 0; i < r->n; i++)
		order[i] = i;
	qsort_r(order, (size_t)r->n, sizeof(*order), order_rows, (void *)(uintptr_t)r);
	for (int64_t i = 0; i < r->n; i++) {
		if (i == 0 || compare_rows(r, order[i - 1], order[i]) != 0) {
			kinds[n] = (struct distinct){ .first = order[i], .number = n };
			n++;
		}
		kinds[n - 1].count++;
		kind_of[order[i]] = n - 1;
	}
	return n;
}

/* X with AXIS in front of all others. */
static struct array *axis_first(struct eval *x, const struct array *from, int axis)
{
	struct strided s = { .rank = from->rank };
	int64_t stride[GRAPH_MAX_RANK];
	int to = 1;

	dense_strides(from->rank, from->dim, stride);
	for (int i = 0; i < from->rank; i++) {
		int at = i == axis ? 0 : to++;

		s.extent[at] = from->dim[i];
		s.from[at] = stride[i];
	}
	dense_strides(s.rank, s.extent, s.to);
	struct array *y = array_in(eval_arena(x), from->element, s.rank, s.extent);

	strided_copy(&s, y->data, from->data, element_bytes(from->element));
	return y;
}

static int give_kinds(struct eval *x, const struct slices *r, int axis, bool flat)
{
	const struct array *from = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK], stride[GRAPH_MAX_RANK];
	struct distinct *kinds = eval_scratch(x, (size_t)(r->n + 1) * sizeof(*kinds));
	int64_t *kind_of = eval_scratch(x, (size_t)(r->n + 1) * sizeof(*kind_of));
	int64_t n = find_kinds(x, r, kinds, kind_of);
	int64_t *place = eval_scratch(x, (size_t)(n + 1) * sizeof(*place));
	struct array *first = eval_result(x, 1, ELEMENT_I64, 1, &n);
	struct array *inverse = eval_result(x, 2, ELEMENT_I64, 1, &r->n);
	struct array *counts = eval_result(x, 3, ELEMENT_I64, 1, &n);

	memcpy(dim, flat ? &n : from->dim, (flat ? 1 : GRAPH_MAX_RANK) * sizeof(*dim));
	dim[axis] = n;
	struct array *y = eval_result(x, 0, from->element, flat ? 1 : from->rank, dim);

	if (!first || !inverse || !counts || !y)
		return -1;
	if (!call_flag(x->call, "sorted"))
		qsort(kinds, (size_t)n, sizeof(*kinds), by_first);
	dense_strides(y->rank, y->dim, stride);
	struct strided slice = { .rank = y->rank };

	memcpy(slice.extent, y->dim, sizeof(slice.extent));
	memcpy(slice.to, stride, sizeof(stride));
	slice.extent[axis] = 1;
	dense_strides(y->rank, slice.extent, slice.from);
	for (int64_t i = 0; i < n; i++) {
		place[kinds[i].number] = i;
		((int64_t *)first->data)[i] = kinds[i].first;
		((int64_t *)counts->data)[i] = kinds[i].count;
		strided_copy(&slice, array_at(y, i * stride[axis]),
			     array_at(r->x, kinds[i].first * r->length),
			     element_bytes(y->element));
	}
	for (int64_t i = 0; i < r->n; i++)
		((int64_t *)inverse->data)[i] = place[kind_of[i]];
	return 0;
}

static int unique_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	bool flat = call_flag(x->call, "flat");
	int axis = 0;

	if (!flat && eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	struct slices r = { from, from->count, 1 };

	if (!flat) {
		r.x = axis_first(x, from, axis);
		r.n = from->dim[axis];
		r.length = shape_count(from->rank - 1, r.x->dim + 1);
	}
	return give_kinds(x, &r, axis, flat);
}

const struct core_op core_unique = {
	.name = "unique",
	.summary = "the different elements of x, or slices along an axis; where each is first, which of "
		   "them each one of x is, how often it is there",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which" },
		{ "flat", ATTR_INT, 0, NULL, "1: of the elements of x in a row, whatever the axis" },
		{ "sorted", ATTR_INT, 1, NULL, "0: in the order in which they come" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = unique_type,
	.eval = unique_eval,
};

/* --- reverse_sequence(x, lengths) */

static int reverse_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	int batch, time;

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_list(x, 1) < 0)
		return -1;
	if (type_is_ranked(from)) {
		if (infer_axis(x, call_int(x->call, "batch_axis"), from->rank, &batch) < 0 ||
		    infer_axis(x, call_int(x->call, "time_axis"), from->rank, &time) < 0)
			return -1;
		if (batch == time)
			return infer_error(x, "time and batch are the same axis");
		if (infer_length(x, 1) >= 0 && from->dim[batch].n >= 0 &&
		    infer_length(x, 1) != from->dim[batch].n)
			return infer_error(x, "%d lengths for a batch of %lld", infer_length(x, 1),
					   (long long)from->dim[batch].n);
	}
	return infer_like(x, 0, from->element);
}

static int reverse_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int64_t stride[GRAPH_MAX_RANK];
	int batch, time, n;
	const int64_t *lengths = eval_ints(x, 1, &n);

	if (eval_axis(x, call_int(x->call, "batch_axis"), from->rank, &batch) < 0 ||
	    eval_axis(x, call_int(x->call, "time_axis"), from->rank, &time) < 0)
		return -1;
	if (batch == time || n != from->dim[batch])
		return eval_error(x, "%d lengths for a batch of %lld", n,
				  (long long)from->dim[batch]);
	struct array *y = eval_result_like(x, 0, from);

	if (!y)
		return -1;
	memcpy(y->data, from->data, array_bytes(y));
	dense_strides(from->rank, from->dim, stride);
	for (int i = 0; i < n; i++) {
		struct strided s = { .rank = from->rank };

		if (lengths[i] < 0 || lengths[i] > from->dim[time])
			return eval_error(x, "length %lld of %lld", (long long)lengths[i],
					  (long long)from->dim[time]);
		if (lengths[i] == 0)
			continue;
		memcpy(s.extent, from->dim, sizeof(s.extent));
		memcpy(s.to, stride, sizeof(stride));
		memcpy(s.from, stride, sizeof(stride));
		s.extent[batch] = 1;
		s.extent[time] = lengths[i];
		s.from[time] = -stride[time];
		strided_copy(&s, array_at(y, i * stride[batch]),
			     array_at(from, i * stride[batch] + (lengths[i] - 1) * stride[time]),
			     element_bytes(y->element));
	}
	return 0;
}

/* It is its own inverse. */
static int reverse_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "batch_axis", call_int(x->call, "batch_axis"));
	attrs_int(b->arena, &attrs, "time_axis", call_int(x->call, "time_axis"));
	x->of_arg[0] = build_with(b, &core_reverse_sequence, &attrs, x->of_result[0],
				  x->call->args[1]);
	return 0;
}

const struct core_op core_reverse_sequence = {
	.name = "reverse_sequence",
	.summary = "x with the first elements along the time axis turned round, for each of the batch "
		   "as many as lengths say",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "batch_axis", ATTR_INT, 1, NULL, "which axis lengths are for" },
		{ "time_axis", ATTR_INT, 0, NULL, "which axis is turned" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = reverse_type,
	.eval = reverse_eval,
	.gradient = reverse_gradient,
};
