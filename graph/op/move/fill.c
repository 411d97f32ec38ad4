/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/fill.c - tensors made of few numbers. */
#include <math.h>

#include "graph/op/gradient.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"

/* --- fill(shape, value) */

static int fill_type(struct infer *x)
{
	const struct type *value = infer_type(x, 1);
	int n = infer_length(x, 0);
	int64_t v;

	if (infer_list(x, 0) < 0 || infer_class(x, 1, CLASS_ANY) < 0)
		return -1;
	if (type_count(value) >= 0 && type_count(value) != 1)
		return infer_error(x, "a value of %lld elements", (long long)type_count(value));
	if (n < 0)
		return infer_unranked(x, value->element);
	const struct dim *shape = n > GRAPH_MAX_RANK ? NULL : infer_elements(x, 0, &n);

	for (int i = 0; shape && i < n; i++)
		if (dim_value(shape[i], &v) && v < 0)
			return infer_error(x, "an extent of %lld", (long long)v);
	return shape ? infer_tensor(x, value->element, n, shape)
		     : infer_ranked(x, value->element, n);
}

static bool fill_elements(struct infer *x, struct dim *out)
{
	int n;
	const struct dim *value = infer_elements(x, 1, &n);
	int64_t count = type_count(x->result);

	for (int64_t i = 0; value && i < count; i++)
		out[i] = value[0];
	return value != NULL;
}

static int fill_eval(struct eval *x)
{
	const struct array *value = eval_array(x, 1);
	int n;
	const int64_t *shape = eval_ints(x, 0, &n);

	if (value->count != 1)
		return eval_error(x, "a value of %lld elements", (long long)value->count);
	struct array *y = eval_result(x, 0, value->element, n, shape);

	if (y)
		array_fill(y, value);
	return y ? 0 : -1;
}

static int fill_gradient(struct gradient *x)
{
	struct builder *b = x->builder;

	x->of_arg[1] = gradient_like(b, build(b, &core_reduce_sum, x->of_result[0]),
				     x->call->args[1]);
	return 0;
}


const struct core_op core_fill = {
	.name = "fill",
	.summary = "a tensor of the given shape, all elements the one of value",
	.min_args = 2,
	.max_args = 2,
	.fusion = FUSION_INJECTIVE,
	.type = fill_type,
	.elements = fill_elements,
	.eval = fill_eval,
	.gradient = fill_gradient,
};

/* --- range(start, limit, delta) */

/* How many steps there are from START to LIMIT; -1 where there is no end. */
static int64_t steps(double start, double limit, double delta)
{
	double n = ceil((limit - start) / delta);

	return !(n < (double)GRAPH_MAX_DIM) ? -1 : n > 0 ? (int64_t)n : 0;
}

/* The same of integers, which doubles may not hold. */
static int64_t int_steps(int64_t start, int64_t limit, int64_t delta)
{
	__int128 length = (__int128)limit - start, by = delta;

	if (delta == 0)
		return -1;
	if (by < 0) {
		length = -length;
		by = -by;
	}
	__int128 n = length <= 0 ? 0 : (length + by - 1) / by;

	return n > GRAPH_MAX_DIM ? -1 : (int64_t)n;
}

/* The number of elements that the operands, arrays of one element each, give. */
static int64_t count_steps(const struct array *const at[3])
{
	if (element_is_float(at[0]->element))
		return steps(array_float(at[0], 0), array_float(at[1], 0), array_float(at[2], 0));
	return int_steps(array_int(at[0], 0), array_int(at[1], 0), array_int(at[2], 0));
}

static struct dim range_extent(struct infer *x)
{
	const struct dim *of[3];
	int n;
	int64_t delta;

	for (int i = 0; i < 3; i++)
		of[i] = infer_elements(x, i, &n);
	if (!of[0] || !of[1] || !of[2] || !dim_value(*of[2], &delta) || delta <= 0)
		return dim_unknown();
	struct dim length = dim_sub(x->arena, *of[1], *of[0]);

	length = dim_div(x->arena, dim_add(x->arena, length, dim_number(delta - 1)), *of[2]);
	return dim_max(x->arena, length, dim_number(0));
}

static int range_type(struct infer *x)
{
	const struct array *at[3];
	enum element e;
	struct dim n;

	if (infer_same_element(x, &e) < 0)
		return -1;
	for (int i = 0; i < 3; i++) {
		int64_t count = type_count(infer_type(x, i));

		at[i] = infer_const(x, i);
		if (infer_class(x, i, CLASS_NUMBERS) < 0)
			return -1;
		if (count >= 0 && count != 1)
			return infer_error(x, "operand %d has %lld elements", i, (long long)count);
	}
	if (at[0] && at[1] && at[2]) {
		int64_t count = count_steps(at);

		if (count < 0)
			return infer_error(x, "it has no end");
		n = dim_number(count);
	} else {
		n = range_extent(x);
	}
	return infer_tensor(x, e, 1, &n);
}

static bool range_elements(struct infer *x, struct dim *out)
{
	int n;
	const struct dim *start = infer_elements(x, 0, &n), *delta = infer_elements(x, 2, &n);
	int64_t count = type_count(x->result);

	for (int64_t i = 0; start && delta && i < count; i++)
		out[i] = dim_add(x->arena, *start, dim_mul(x->arena, dim_number(i), *delta));
	return start && delta;
}

static int range_eval(struct eval *x)
{
	const struct array *at[3];

	for (int i = 0; i < 3; i++) {
		at[i] = eval_array(x, i);
		if (at[i]->count != 1)
			return eval_error(x, "operand %d has %lld elements", i,
					  (long long)at[i]->count);
	}
	int64_t n = count_steps(at);

	if (n < 0)
		return eval_error(x, "it has no end");
	struct array *y = eval_result(x, 0, at[0]->element, 1, &n);

	for (int64_t i = 0; y && i < n; i++) {
		if (element_is_float(y->element))
			element_store(y->element, y->data, i,
				      array_float(at[0], 0) + (double)i * array_float(at[2], 0));
		else
			element_store_int(y->element, y->data, i,
					  (int64_t)((uint64_t)array_int(at[0], 0) +
						    (uint64_t)i * (uint64_t)array_int(at[2], 0)));
	}
	return y ? 0 : -1;
}

const struct core_op core_range = {
	.name = "range",
	.summary = "start, start + delta, ... up to limit, which is not one of them",
	.min_args = 3,
	.max_args = 3,
	.fusion = FUSION_OPAQUE,
	.type = range_type,
	.elements = range_elements,
	.eval = range_eval,
};
