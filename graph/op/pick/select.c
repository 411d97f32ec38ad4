/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pick/select.c - elements chosen by what they are. */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "graph/op/gradient.h"
#include "graph/op/move/along.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"

/* --- top_k(x, k) */

static int top_k_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim dim[GRAPH_MAX_RANK];
	const struct type *fields[2];
	int axis, n;

	if (infer_class(x, 0, CLASS_NUMBERS) < 0 || infer_list(x, 1) < 0)
		return -1;
	fields[0] = type_unranked(x->arena, from->element);
	fields[1] = type_unranked(x->arena, ELEMENT_I64);
	if (!type_is_ranked(from))
		return infer_tuple(x, 2, fields);
	const struct dim *k = infer_elements(x, 1, &n);

	if (k && n != 1)
		return infer_error(x, "k has %d elements", n);
	if (infer_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	memcpy(dim, from->dim, (size_t)from->rank * sizeof(*dim));
	dim[axis] = k ? *k : dim_unknown();
	if (from->dim[axis].n >= 0 && dim[axis].n > from->dim[axis].n)
		return infer_error(x, "%lld of %lld", (long long)dim[axis].n,
				   (long long)from->dim[axis].n);
	if (infer_tensor(x, ELEMENT_I64, from->rank, dim) < 0)
		return -1;
	fields[1] = x->result;
	fields[0] = type_tensor(x->arena, from->element, from->rank, dim);
	return infer_tuple(x, 2, fields);
}

/* An element of a line and its place there. */
struct ranked {
	double number;		/* of floats */
	int64_t integer;	/* of the others; those of u64 with the sign turned, so that they order */
	int64_t place;
};

/* The least first, NaN behind all numbers. */
static int compare(const struct ranked *a, const struct ranked *b)
{
	if (isnan(a->number) || isnan(b->number))
		return isnan(a->number) - isnan(b->number);
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->integer > b->integer) - (a->integer < b->integer);
}

/* The order in which elements are taken: of equal ones the first comes first. */
static int order(const void *a, const void *b, void *largest)
{
	const struct ranked *x = a, *y = b;
	int c = *(const bool *)largest ? compare(y, x) : compare(x, y);

	return c ? c : (x->place > y->place) - (x->place < y->place);
}

static void read_line(const struct array *from, int64_t first, int64_t step, int64_t n,
		      struct ranked *line)
{
	uint64_t turn = from->element == ELEMENT_U64 ? UINT64_C(1) << 63 : 0;

	for (int64_t i = 0; i < n; i++) {
		int64_t at = first + i * step;

		line[i] = (struct ranked){ .place = i };
		if (element_is_float(from->element))
			line[i].number = array_float(from, at);
		else
			line[i].integer = (int64_t)((uint64_t)array_int(from, at) ^ turn);
	}
}

static int top_k_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	bool largest = call_flag(x->call, "largest");
	int64_t dim[GRAPH_MAX_RANK], k = eval_int(x, 1);
	int axis;

	if (eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	int64_t n = from->dim[axis], outer = shape_count(axis, from->dim);
	int64_t inner = shape_count(from->rank - axis - 1, from->dim + axis + 1);

	if (k < 0 || k > n)
		return eval_error(x, "%lld of %lld", (long long)k, (long long)n);
	memcpy(dim, from->dim, sizeof(dim));
	dim[axis] = k;
	struct array *values = eval_result(x, 0, from->element, from->rank, dim);
	struct array *places = values ? eval_result(x, 1, ELEMENT_I64, from->rank, dim) : NULL;
	struct ranked *line = eval_scratch(x, (size_t)(n + 1) * sizeof(*line));
	size_t bytes = element_bytes(from->element);

	if (!places)
		return -1;
	for (int64_t l = 0; l < outer * inner && k; l++) {
		int64_t from_first = l / inner * n * inner + l % inner;
		int64_t to_first = l / inner * k * inner + l % inner;

		read_line(from, from_first, inner, n, line);
		qsort_r(line, (size_t)n, sizeof(*line), order, &largest);
		for (int64_t i = 0; i < k; i++) {
			memcpy(array_at(values, to_first + i * inner),
			       array_at(from, from_first + line[i].place * inner), bytes);
			((int64_t *)places->data)[to_first + i * inner] = line[i].place;
		}
	}
	return 0;
}

static int top_k_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	struct attr_vec attrs = { 0 };

	if (x->of_result[0] == VALUE_NONE)
		return 0;
	attrs_int(b->arena, &attrs, "axis", call_int(x->call, "axis"));
	attrs_string(b->arena, &attrs, "reduction", "add");
	x->of_arg[0] = build_with(b, &core_scatter_elements, &attrs,
				  along_zeros(b, x->call->args[0]), build_field(b, x->result, 1),
				  x->of_result[0]);
	return 0;
}

const struct core_op core_top_k = {
	.name = "top_k",
	.summary = "the k greatest elements of x along an axis, in order, and where they are",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, -1, NULL, "along which" },
		{ "largest", ATTR_INT, 1, NULL, "0: the least" },
		{ "sorted", ATTR_INT, 1, NULL, "0: any order would do" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = top_k_type,
	.eval = top_k_eval,
	.gradient = top_k_gradient,
};

/* --- nonzero(x) */

static int nonzero_type(struct infer *x)
{
	int rank = infer_rank(x, 0);

	if (infer_class(x, 0, CLASS_NUMBERS | CLASS_BIT(BOOL)) < 0)
		return -1;
	return infer_tensor(x, ELEMENT_I64, 2,
			    (const struct dim[]){ rank < 0 ? dim_unknown() : dim_number(rank),
						  dim_unknown() });
}

static int nonzero_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	bool is_float = element_is_float(from->element);
	bool *here = eval_scratch(x, (size_t)from->count + 1);
	int64_t n = 0, found = 0, stride[GRAPH_MAX_RANK];

	for (int64_t i = 0; i < from->count; i++) {
		here[i] = is_float ? array_float(from, i) != 0 : array_int(from, i) != 0;
		n += here[i];
	}
	struct array *y = eval_result(x, 0, ELEMENT_I64, 2, (const int64_t[]){ from->rank, n });

	if (!y)
		return -1;
	int64_t *to = y->data;

	dense_strides(from->rank, from->dim, stride);
	for (int64_t i = 0; i < from->count; i++) {
		if (!here[i])
			continue;
		for (int d = 0; d < from->rank; d++)
			to[d * n + found] = i / stride[d] % from->dim[d];
		found++;
	}
	return 0;
}

const struct core_op core_nonzero = {
	.name = "nonzero",
	.summary = "the indices of the elements of x that are not 0, a row for each axis",
	.min_args = 1,
	.max_args = 1,
	.fusion = FUSION_OPAQUE,
	.type = nonzero_type,
	.eval = nonzero_eval,
};

/* --- compress(x, condition) */

static int compress_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim dim[GRAPH_MAX_RANK] = { dim_unknown() };
	int axis;

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_class(x, 1, CLASS_BIT(BOOL)) < 0)
		return -1;
	if (infer_rank(x, 1) > 1)
		return infer_error(x, "a condition of rank %d", infer_rank(x, 1));
	if (call_flag(x->call, "flat"))
		return infer_tensor(x, from->element, 1, dim);
	if (!type_is_ranked(from))
		return infer_unranked(x, from->element);
	if (infer_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	memcpy(dim, from->dim, (size_t)from->rank * sizeof(*dim));
	dim[axis] = dim_unknown();
	return infer_tensor(x, from->element, from->rank, dim);
}

static int compress_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0), *condition = eval_array(x, 1);
	const bool *taken = condition->data;
	int64_t dim[GRAPH_MAX_RANK] = { from->count }, kept = 0;
	int axis = 0, rank = 1;

	if (!call_flag(x->call, "flat")) {
		if (eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
			return -1;
		rank = from->rank;
		memcpy(dim, from->dim, sizeof(dim));
	}
	int64_t n = condition->count, extent = dim[axis];
	int64_t outer = shape_count(axis, dim);
	size_t bytes = (size_t)shape_count(rank - axis - 1, dim + axis + 1) *
		       element_bytes(from->element);

	for (int64_t i = 0; i < n; i++)
		kept += taken[i];
	if (n > extent)
		return eval_error(x, "%lld conditions for an extent of %lld", (long long)n,
				  (long long)extent);
	dim[axis] = kept;
	struct array *y = eval_result(x, 0, from->element, rank, dim);

	if (!y || y->count == 0)
		return y ? 0 : -1;
	unsigned char *to = y->data;

	for (int64_t o = 0; o < outer; o++)
		for (int64_t i = 0; i < n; i++) {
			if (!taken[i])
				continue;
			memcpy(to, (const unsigned char *)from->data +
					   (size_t)(o * extent + i) * bytes, bytes);
			to += bytes;
		}
	return 0;
}

/* What is taken is gathered from the places at which the condition is true. */
static int compress_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	bool flat = call_flag(x->call, "flat");
	int from = x->call->args[0], all = build_ints(b, 1, &(int64_t){ -1 });
	int places = build(b, &core_reshape, build(b, &core_nonzero, x->call->args[1]), all);
	int rank = build_type(b, from)->rank, axis = 0;

	if (flat)
		from = build(b, &core_reshape, from, all);
	else if (rank < 0)
		return err_set("compress: its gradient needs a known rank");
	else
		axis = (int)call_int(x->call, "axis");
	axis += axis < 0 ? rank : 0;
	int by = along_add(b, x->of_result[0], axis, along_extent(b, from, axis), places);

	x->of_arg[0] = !flat ? by
			     : build(b, &core_reshape, by,
				     build(b, &core_shape_of, x->call->args[0]));
	return 0;
}

const struct core_op core_compress = {
	.name = "compress",
	.summary = "the slices of x along an axis for which the condition is true",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which" },
		{ "flat", ATTR_INT, 0, NULL, "1: of the elements of x in a row, whatever the axis" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = compress_type,
	.eval = compress_eval,
	.gradient = compress_gradient,
};
