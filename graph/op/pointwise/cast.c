/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/cast.c - elements of another type: their values, or their bits. */
#include "graph/eval/eval.h"
#include "graph/ir/infer.h"
#include "graph/ir/small_float.h"
#include "graph/op/express.h"
#include "graph/op/gradient.h"
#include "graph/op/pointwise/block.h"
#include "graph/op/pointwise/number_text.h"
#include "te/ops/build.h"

/* --- cast(x) */

static int cast_type(struct infer *x)
{
	if (infer_class(x, 0, CLASS_NUMBERS | CLASS_BIT(BOOL) | CLASS_BIT(STRING)) < 0)
		return -1;
	return infer_like(x, 0, call_element(x->call, "to"));
}

static bool cast_elements(struct infer *x, struct dim *out)
{
	int n;
	const struct dim *from = infer_elements(x, 0, &n);

	for (int i = 0; from && i < n; i++)
		out[i] = call_element(x->call, "to") != ELEMENT_BOOL
				 ? from[i]
				 : dim_sub(x->arena, dim_number(1),
					   dim_is_equal(x->arena, from[i], dim_number(0)));
	return from != NULL;
}

static void to_strings(struct eval *x, const struct array *from, struct array *y)
{
	for (int64_t i = 0; i < from->count; i++) {
		char s[NUMBER_TEXT];

		number_print(from->element, from->data, i, s);
		((const char **)y->data)[i] = eval_string(x, s, strlen(s));
	}
}

static int from_strings(const struct eval *x, const struct array *from, struct array *y)
{
	for (int64_t i = 0; i < from->count; i++)
		if (!number_parse(array_string(from, i), y->element, y->data, i))
			return eval_error(x, "'%.40s' is no %s", array_string(from, i),
					  element_name(y->element));
	return 0;
}

/* Numbers that pass through C: integers to integers without a float between, and to f32 with one
 * rounding. */
static enum compute path(enum element from, enum element to)
{
	if (!element_is_float(from) && !element_is_float(to))
		return COMPUTE_I64;
	return to == ELEMENT_F32 ? COMPUTE_F32 : COMPUTE_F64;
}

static void convert(const struct array *from, struct array *y, bool saturate)
{
	enum compute c = path(from->element, y->element);
	bool endless = !saturate && element_is_small_float(y->element);
	double block[BLOCK];

	for (int64_t first = 0; first < y->count; first += BLOCK) {
		int n = y->count - first < BLOCK ? (int)(y->count - first) : BLOCK;

		compute_get(c, from->element, from->data, first, n, block);
		if (endless)
			for (int i = 0; i < n; i++)
				((uint8_t *)y->data)[first + i] = small_float_encode(
					y->element, (float)block[i], false);
		else
			compute_put(c, y->element, y->data, first, n, block);
	}
}

static int cast_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	enum element to = call_element(x->call, "to");

	if (from->element == to)
		return eval_pass(x, 0, 0);
	struct array *y = eval_result(x, 0, to, from->rank, from->dim);

	if (!y)
		return -1;
	if (to == ELEMENT_STRING)
		to_strings(x, from, y);
	else if (from->element == ELEMENT_STRING)
		return from_strings(x, from, y);
	else
		convert(from, y, call_flag(x->call, "saturate"));
	return 0;
}

static struct op *cast_express(struct express *x)
{
	struct axis *axes[TENSOR_MAX_DIMS];
	struct op *from = x->ops[0];

	if (express_dtype(x) == DTYPE_COUNT || !from)
		return express_error(x, "no kernel computes with %s",
				     element_name(x->call->type->element));
	axes_like(x->dag, from, axes);
	return build_map(x->dag, "cast", axes, from->tensor.ndim,
			 expr_cast(x->dag->arena, express_dtype(x), read_axes(x->dag, from, axes)));
}

static int cast_gradient(struct gradient *x)
{
	enum element from = build_type(x->builder, x->call->args[0])->element;
	struct attr_vec to = { 0 };

	if (!element_is_float(from) || !element_is_float(call_element(x->call, "to")))
		return 0;
	attrs_element(x->builder->arena, &to, "to", from);
	x->of_arg[0] = build_with(x->builder, &core_cast, &to, x->of_result[0]);
	return 0;
}

const struct core_op core_cast = {
	.name = "cast",
	.summary = "x as another element type: floats are rounded to nearest even or truncated to "
		   "integers, integers wrap, strings are read and written as decimals",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "to", ATTR_ELEMENT, ELEMENT_F32, NULL, "element type of the result" },
		{ "saturate", ATTR_INT, 1, NULL,
		  "0: what a float of 8 bits cannot hold becomes infinite or NaN, not the largest" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.pointwise = true,
	.type = cast_type,
	.elements = cast_elements,
	.eval = cast_eval,
	.express = cast_express,
	.gradient = cast_gradient,
};

/* --- bitcast(x) */

static int bitcast_type(struct infer *x)
{
	enum element to = call_element(x->call, "to");
	enum element from = infer_type(x, 0)->element;

	if (infer_class(x, 0, CLASS_NUMBERS | CLASS_BIT(BOOL)) < 0)
		return -1;
	if (from != ELEMENT_COUNT && element_bits(from) != element_bits(to))
		return infer_error(x, "%s has not as many bits as %s", element_name(from),
				   element_name(to));
	return infer_like(x, 0, to);
}

static int bitcast_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	enum element to = call_element(x->call, "to");

	if (from->element == ELEMENT_STRING || to == ELEMENT_STRING ||
	    element_bits(from->element) != element_bits(to))
		return eval_error(x, "%s has not as many bits as %s", element_name(from->element),
				  element_name(to));
	struct array *y = eval_result(x, 0, to, from->rank, from->dim);

	if (y && !element_is_float(to) && element_bits(to) < 8)	/* the sign fills the byte */
		for (int64_t i = 0; i < y->count; i++)
			element_store_int(to, y->data, i, ((const int8_t *)from->data)[i]);
	else if (y)
		memcpy(y->data, from->data, array_bytes(y));
	return y ? 0 : -1;
}

const struct core_op core_bitcast = {
	.name = "bitcast",
	.summary = "the bits of x as elements of another type of as many bits",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "to", ATTR_ELEMENT, ELEMENT_F32, NULL, "element type of the result" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.pointwise = true,
	.type = bitcast_type,
	.eval = bitcast_eval,
};
