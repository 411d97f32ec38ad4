/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/elementwise.c - one output element from one element of each operand: epilogues, and
 * operators of their own. */
#include <math.h>

#include "te/operator.h"
#include "te/ops/build.h"

/* --- activations: the expression for an element X */

static const struct expr *expr_unit(struct dag *d, const struct expr *x, double v)
{
	return expr_const(d->arena, x->dtype, v);
}

/* A bound that is infinite is none. */
static const struct expr *clip(struct dag *d, const struct expr *x, double low, double high)
{
	if (!isinf(low))
		x = build_binary_const(d, EXPR_MAX, x, low);
	return isinf(high) ? x : build_binary_const(d, EXPR_MIN, x, high);
}

static const struct expr *act_relu(struct dag *d, const struct expr *x)
{
	return build_binary_const(d, EXPR_MAX, x, 0);
}

static const struct expr *act_relu6(struct dag *d, const struct expr *x)
{
	return clip(d, x, 0, 6);
}

/* 1 + exp(-x) */
static const struct expr *one_plus_exp(struct dag *d, const struct expr *x)
{
	const struct expr *e = expr_unary(d->arena, EXPR_EXP, expr_unary(d->arena, EXPR_NEG, x));

	return build_binary(d, EXPR_ADD, expr_unit(d, x, 1), e);
}

static const struct expr *act_sigmoid(struct dag *d, const struct expr *x)
{
	return build_binary(d, EXPR_DIV, expr_unit(d, x, 1), one_plus_exp(d, x));
}

static const struct expr *act_silu(struct dag *d, const struct expr *x)
{
	return build_binary(d, EXPR_DIV, x, one_plus_exp(d, x));
}

static const struct expr *act_gelu(struct dag *d, const struct expr *x)
{
	const struct expr *e = expr_unary(d->arena, EXPR_ERF,
					  build_binary_const(d, EXPR_MUL, x, M_SQRT1_2));

	return build_binary(d, EXPR_MUL, build_binary_const(d, EXPR_MUL, x, 0.5),
		      build_binary(d, EXPR_ADD, expr_unit(d, x, 1), e));
}

static const struct expr *act_hard_sigmoid(struct dag *d, const struct expr *x)
{
	const struct expr *line =
		build_binary_const(d, EXPR_ADD, build_binary_const(d, EXPR_MUL, x, 1.0 / 6), 0.5);

	return clip(d, line, 0, 1);
}

static const struct expr *act_hard_swish(struct dag *d, const struct expr *x)
{
	return build_binary(d, EXPR_MUL, x, act_hard_sigmoid(d, x));
}

static const struct expr *act_tanh(struct dag *d, const struct expr *x)
{
	return expr_unary(d->arena, EXPR_TANH, x);
}

static struct op *map(struct dag *d, const char *name, struct op *x,
		      const struct expr *(*act)(struct dag *d, const struct expr *x))
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!x)
		return NULL;
	bool any_number = act == act_relu || act == act_relu6;

	if (any_number ? x->tensor.dtype == DTYPE_BOOL : !dtype_is_float(x->tensor.dtype))
		return op_error("%s: %s is %s; it needs %s", name, x->tensor.name,
				dtype_name(x->tensor.dtype), any_number ? "numbers" : "floats");
	axes_like(d, x, axes);
	return build_map(d, name, axes, x->tensor.ndim, act(d, read_axes(d, x, axes)));
}

#define X(name, formula)                                                                           \
	struct op *op_##name(struct dag *d, struct op *x)                                          \
	{                                                                                          \
		return map(d, #name, x, act_##name);                                               \
	}
#include "te/ops/activations.def"
#undef X

struct op *op_clip(struct dag *d, struct op *x, double low, double high)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!x)
		return NULL;
	if (!(low <= high))
		return op_error("clip: %g..%g is empty", low, high);
	if (x->tensor.dtype == DTYPE_BOOL)
		return op_error("clip: %s is bool; it needs numbers", x->tensor.name);
	axes_like(d, x, axes);
	return build_map(d, "clip", axes, x->tensor.ndim,
			 clip(d, read_axes(d, x, axes), low, high));
}

struct op *op_narrow(struct dag *d, struct op *x, int shift)
{
	struct axis *axes[TENSOR_MAX_DIMS];
	double half = shift > 0 ? (double)(INT64_C(1) << (shift - 1)) : 0;

	if (!x)
		return NULL;
	if (x->tensor.dtype != DTYPE_I32)
		return op_error("shift: %s is %s; it needs i32, as sums of products of bytes are", x->tensor.name,
				dtype_name(x->tensor.dtype));
	axes_like(d, x, axes);
	const struct expr *sum = build_binary_const(d, EXPR_ADD, read_axes(d, x, axes), half);
	const struct expr *rounded = build_binary_const(d, EXPR_DIV, sum, (double)(INT64_C(1) << shift));

	return build_map(d, "narrow", axes, x->tensor.ndim,
			 expr_cast(d->arena, DTYPE_I8, clip(d, rounded, INT8_MIN, INT8_MAX)));
}

struct op *op_leaky_relu(struct dag *d, struct op *x, double slope)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!x)
		return NULL;
	if (!dtype_is_float(x->tensor.dtype))
		return op_error("leaky_relu: %s is %s; it needs floats", x->tensor.name,
				dtype_name(x->tensor.dtype));
	axes_like(d, x, axes);
	const struct expr *v = read_axes(d, x, axes);

	return build_map(d, "leaky_relu", axes, x->tensor.ndim,
			 expr_select(d->arena, build_binary_const(d, EXPR_LT, v, 0),
				     build_binary_const(d, EXPR_MUL, v, slope), v));
}

struct op *op_activation(struct dag *d, struct op *x, const char *name)
{
	static const struct {
		const char *name;
		struct op *(*build)(struct dag *d, struct op *x);
	} table[] = {
#define X(name, formula) { #name, op_##name },
#include "te/ops/activations.def"
#undef X
	};

	if (strcmp(name, "none") == 0)
		return x;
	if (strcmp(name, "leaky_relu") == 0)
		return op_leaky_relu(d, x, 0.01);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].build(d, x);
	return op_error("there is no activation '%s'", name);
}

/* --- two operands */

static int check_types(const char *name, const struct op *a, const struct op *b)
{
	if (a->tensor.dtype == b->tensor.dtype && a->tensor.dtype != DTYPE_BOOL)
		return 0;
	return err_set("%s: %s is %s and %s is %s; they must be of one type of numbers", name,
		       a->tensor.name, dtype_name(a->tensor.dtype), b->tensor.name,
		       dtype_name(b->tensor.dtype));
}

/* The channels of X, or those within blocks, index V. */
static struct op *channelwise(struct dag *d, const char *name, enum expr_kind kind, struct op *x,
			      struct op *v, enum layout layout)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!x || !v || check_types(name, x, v) < 0)
		return NULL;
	int n = x->tensor.ndim;
	int channel = layout == LAYOUT_NHWC ? n - 1 : 1;

	if (n < (layout == LAYOUT_BLOCKED ? 3 : 2))
		return op_error("%s: %s has no channels", name, x->tensor.name);
	int64_t block = layout == LAYOUT_BLOCKED ? x->tensor.shape[n - 1] : 1;

	if (v->tensor.ndim != 1 || v->tensor.shape[0] != x->tensor.shape[channel] * block)
		return op_error("%s: %s is not one element for each of the %jd channels of %s",
				name, v->tensor.name, (intmax_t)(x->tensor.shape[channel] * block),
				x->tensor.name);
	axes_like(d, x, axes);
	const struct expr *at = axis_expr(d, axes[channel]);

	if (layout == LAYOUT_BLOCKED)
		at = expr_add(d->arena, expr_mul(d->arena, at, block), axis_expr(d, axes[n - 1]));
	return build_map(d, name, axes, n,
			 build_binary(d, kind, read_axes(d, x, axes), read_at(d, v, &at)));
}

struct op *op_bias(struct dag *d, struct op *x, struct op *v, enum layout layout)
{
	return channelwise(d, "add_bias", EXPR_ADD, x, v, layout);
}

struct op *op_scale(struct dag *d, struct op *x, struct op *v, enum layout layout)
{
	return channelwise(d, "scaled", EXPR_MUL, x, v, layout);
}

/* X at the last of the N axes of the result; an extent of 1 stays at 0. */
static const struct expr *read_broadcast(struct dag *d, const struct op *x,
					 struct axis *const *axes, int n)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	int skip = n - x->tensor.ndim;

	for (int i = 0; i < x->tensor.ndim; i++)
		index[i] = x->tensor.shape[i] == 1 && axes[skip + i]->hi > 1
			 ? expr_int(d->arena, 0) : axis_expr(d, axes[skip + i]);
	return read_at(d, x, index);
}

struct op *op_binary(struct dag *d, enum expr_kind kind, const char *name, struct op *a,
		     struct op *b)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!a || !b || check_types(name, a, b) < 0)
		return NULL;
	const struct op *longer = a->tensor.ndim >= b->tensor.ndim ? a : b;
	const struct op *other = longer == a ? b : a;
	int n = longer->tensor.ndim;
	int skip = n - other->tensor.ndim;

	axes_like(d, longer, axes);
	for (int i = skip; i < n; i++) {
		int64_t extent = other->tensor.shape[i - skip];

		if (axes[i]->hi == 1)
			axes[i]->hi = extent;
		if (extent != 1 && extent != axes[i]->hi)
			return op_error("%s: dimension %d of %s, %jd, does not broadcast to %jd of "
					"%s", name, i - skip, other->tensor.name, (intmax_t)extent,
					(intmax_t)axes[i]->hi, longer->tensor.name);
	}
	return build_map(d, name, axes, n,
			 build_binary(d, kind, read_broadcast(d, a, axes, n),
				read_broadcast(d, b, axes, n)));
}

struct op *op_add(struct dag *d, struct op *a, struct op *b)
{
	return op_binary(d, EXPR_ADD, "add", a, b);
}

struct op *op_mul(struct dag *d, struct op *a, struct op *b)
{
	return op_binary(d, EXPR_MUL, "mul", a, b);
}

/* --- operators */

static struct op *elements(struct dag *d, const char *name, const struct args *args)
{
	int64_t shape[TENSOR_MAX_DIMS];
	int n = args_shape(args, "n", shape);

	return build_input(d, name, args_dtype(args), n, shape, false);
}

static const struct param params[] = {
	{ "n", PARAM_SHAPE, NULL, "elements, or a shape such as 64x56x56", 0, 0, NULL },
	PARAM_OF_DTYPE,
	PARAM_END,
};

#define X(id, formula)                                                                             \
	static struct op *build_##id(struct dag *d, const struct args *args)                       \
	{                                                                                          \
		return op_##id(d, elements(d, "X", args));                                         \
	}                                                                                          \
	const struct operator operator_##id = {                                                    \
		.name = #id,                                                                       \
		.summary = formula ", element by element",                                         \
		.params = params,                                                                  \
		.build = build_##id,                                                               \
	};
#include "te/ops/activations.def"
#undef X

static struct op *build_leaky_relu(struct dag *d, const struct args *args)
{
	return op_leaky_relu(d, elements(d, "X", args), 0.01);
}

const struct operator operator_leaky_relu = {
	.name = "leaky_relu",
	.summary = "select(x < 0, x * 0.01, x), element by element",
	.params = params,
	.build = build_leaky_relu,
};

static struct op *build_clip(struct dag *d, const struct args *args)
{
	return op_clip(d, elements(d, "X", args), 0, 1);
}

const struct operator operator_clip = {
	.name = "clip",
	.summary = "min(max(x, 0), 1), element by element",
	.params = params,
	.build = build_clip,
};

static struct op *build_add(struct dag *d, const struct args *args)
{
	struct op *a = elements(d, "A", args);

	return op_add(d, a, elements(d, "B", args));
}

const struct operator operator_add = {
	.name = "add",
	.summary = "a + b, element by element",
	.params = params,
	.build = build_add,
};

static struct op *build_mul(struct dag *d, const struct args *args)
{
	struct op *a = elements(d, "A", args);

	return op_mul(d, a, elements(d, "B", args));
}

const struct operator operator_mul = {
	.name = "mul",
	.summary = "a * b, element by element",
	.params = params,
	.build = build_mul,
};
