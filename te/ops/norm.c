/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/norm.c - softmax, layer norm, matrix norm: a chain of reductions and maps each. */
#include "te/operator.h"
#include "te/ops/build.h"

static int check_floats(const char *name, const struct op *x)
{
	if (dtype_is_float(x->tensor.dtype))
		return 0;
	return err_set("%s: %s is %s; it needs floats", name, x->tensor.name,
		       dtype_name(x->tensor.dtype));
}

/* X at AXES without that of dimension LEFT_OUT. */
static const struct expr *read_without(struct dag *d, const struct op *x,
				       struct axis *const *axes, int left_out)
{
	struct axis *rest[TENSOR_MAX_DIMS];

	for (int i = 0; i < x->tensor.ndim; i++)
		rest[i] = axes[i + (i >= left_out)];
	return read_axes(d, x, rest);
}

/* REDUCER over dimension AXIS of X, or of (X - CENTER)^2 where CENTER is given, divided by COUNT.
 */
static struct op *reduce_dim(struct dag *d, const char *name, const struct op *x, int axis,
			     enum reducer reducer, const struct op *center, double count)
{
	struct axis *axes[TENSOR_MAX_DIMS], *space[TENSOR_MAX_DIMS];
	int n = x->tensor.ndim - 1;

	axes_like(d, x, axes);
	for (int i = 0; i < n; i++)
		space[i] = axes[i + (i >= axis)];
	const struct expr *body = read_axes(d, x, axes);

	if (center) {
		body = build_binary(d, EXPR_SUB, body,
			      build_binary_const(d, EXPR_DIV, read_without(d, center, axes, axis),
					   count));
		body = build_binary(d, EXPR_MUL, body, body);
	}
	return build_reduce(d, name, space, n, reducer, &axes[axis], 1, body);
}

/* X - GREATEST, which is its largest along AXIS; axes over X in AXES. */
static const struct expr *shifted(struct dag *d, const struct op *x, const struct op *greatest,
				  int axis, struct axis **axes)
{
	axes_like(d, x, axes);
	return build_binary(d, EXPR_SUB, read_axes(d, x, axes),
			    read_without(d, greatest, axes, axis));
}

/* What softmax and its logarithm begin with: the greatest along AXIS, exp(x - greatest), and the sum
 * of that, which is returned. */
static struct op *sum_of_exps(struct dag *d, struct op *x, int axis, struct op **greatest,
			      struct op **exps)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!x || check_floats("softmax", x) < 0)
		return NULL;
	if (axis < 0 || axis >= x->tensor.ndim)
		return op_error("softmax: %s has no dimension %d", x->tensor.name, axis);
	*greatest = reduce_dim(d, "softmax_max", x, axis, REDUCE_MAX, NULL, 1);
	if (!*greatest)
		return NULL;
	const struct expr *e =
		expr_unary(d->arena, EXPR_EXP, shifted(d, x, *greatest, axis, axes));

	*exps = build_map(d, "softmax_exp", axes, x->tensor.ndim, e);
	return *exps ? reduce_dim(d, "softmax_sum", *exps, axis, REDUCE_SUM, NULL, 1) : NULL;
}

/* 1 / X: what divides a row is inverted once, and each element multiplied. */
static const struct expr *inverse(struct dag *d, const struct expr *x)
{
	return build_binary(d, EXPR_DIV, expr_const(d->arena, x->dtype, 1), x);
}

struct op *op_softmax(struct dag *d, struct op *x, int axis)
{
	struct axis *axes[TENSOR_MAX_DIMS];
	struct op *greatest, *exps;
	struct op *sum = sum_of_exps(d, x, axis, &greatest, &exps);

	if (!sum)
		return NULL;
	axes_like(d, x, axes);
	return build_map(d, "softmax", axes, x->tensor.ndim,
			 build_binary(d, EXPR_MUL, read_axes(d, exps, axes),
				      inverse(d, read_without(d, sum, axes, axis))));
}

struct op *op_log_softmax(struct dag *d, struct op *x, int axis)
{
	struct axis *axes[TENSOR_MAX_DIMS];
	struct op *greatest, *exps;
	struct op *sum = sum_of_exps(d, x, axis, &greatest, &exps);

	if (!sum)
		return NULL;
	const struct expr *v = shifted(d, x, greatest, axis, axes);
	const struct expr *log = expr_unary(d->arena, EXPR_LOG, read_without(d, sum, axes, axis));

	return build_map(d, "log_softmax", axes, x->tensor.ndim,
			 build_binary(d, EXPR_SUB, v, log));
}

static int check_layer_norm(const struct op *x, const struct op *vector)
{
	const struct tensor *t = &x->tensor;

	if (!vector)
		return 0;
	if (vector->tensor.ndim == 1 && vector->tensor.shape[0] == t->shape[t->ndim - 1] &&
	    vector->tensor.dtype == t->dtype)
		return 0;
	return err_set("layer_norm: %s is not one %s for each of the %jd last elements of %s",
		       vector->tensor.name, dtype_name(t->dtype),
		       (intmax_t)t->shape[t->ndim - 1], t->name);
}

struct op *op_layer_norm(struct dag *d, struct op *x, struct op *scale, struct op *bias,
			 double epsilon)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!x || check_floats("layer_norm", x) < 0)
		return NULL;
	int last = x->tensor.ndim - 1;

	if (last < 0)
		return op_error("layer_norm: %s has no dimension", x->tensor.name);
	if (check_layer_norm(x, scale) < 0 || check_layer_norm(x, bias) < 0)
		return NULL;
	double n = (double)x->tensor.shape[last];
	struct op *sum = reduce_dim(d, "norm_sum", x, last, REDUCE_SUM, NULL, 1);
	struct op *square = sum ? reduce_dim(d, "norm_square", x, last, REDUCE_SUM, sum, n) : NULL;

	if (!square)
		return NULL;
	axes_like(d, x, axes);
	const struct expr *mean =
		build_binary_const(d, EXPR_DIV, read_without(d, sum, axes, last), n);
	const struct expr *variance =
		build_binary_const(d, EXPR_DIV, read_without(d, square, axes, last), n);
	const struct expr *deviation =
		expr_unary(d->arena, EXPR_SQRT, build_binary_const(d, EXPR_ADD, variance, epsilon));
	const struct expr *y = build_binary(
		d, EXPR_MUL, build_binary(d, EXPR_SUB, read_axes(d, x, axes), mean), inverse(d, deviation));

	if (scale)
		y = build_binary(d, EXPR_MUL, y, read_axes(d, scale, &axes[last]));
	if (bias)
		y = build_binary(d, EXPR_ADD, y, read_axes(d, bias, &axes[last]));
	return build_map(d, "layer_norm", axes, last + 1, y);
}

struct op *op_matrix_norm(struct dag *d, struct op *x)
{
	struct axis *axes[3], *out[1];

	if (!x || check_floats("matrix_norm", x) < 0)
		return NULL;
	if (x->tensor.ndim != 3)
		return op_error("matrix_norm: %s is not [b, m, n]", x->tensor.name);
	axes_like(d, x, axes);
	const struct expr *v = read_axes(d, x, axes);
	struct op *sum = build_reduce(d, "square_sum", axes, 1, REDUCE_SUM, axes + 1, 2,
			       build_binary(d, EXPR_MUL, v, v));

	if (!sum)
		return NULL;
	axes_like(d, sum, out);
	return build_map(d, "matrix_norm", out, 1,
			 expr_unary(d->arena, EXPR_SQRT, read_axes(d, sum, out)));
}

static struct op *matrix_arg(struct dag *d, const struct args *args)
{
	int64_t shape[] = { args_int(args, "m"), args_int(args, "n") };

	return build_input(d, "X", args_dtype(args), 2, shape, false);
}

#define MATRIX_PARAMS SIZE("m", "rows"), SIZE("n", "columns")

static struct op *build_softmax(struct dag *d, const struct args *args)
{
	return op_softmax(d, matrix_arg(d, args), 1);
}

const struct operator operator_softmax = {
	.name = "softmax",
	.summary = "exp(x) / sum of exp(x), row by row",
	.params = (const struct param[]){ MATRIX_PARAMS, PARAM_OF_DTYPE, PARAM_END },
	.build = build_softmax,
};

static struct op *build_layer_norm(struct dag *d, const struct args *args)
{
	int64_t n = args_int(args, "n");
	struct op *x = matrix_arg(d, args);
	struct op *scale = build_input(d, "scale", args_dtype(args), 1, &n, true);
	struct op *bias = build_input(d, "bias", args_dtype(args), 1, &n, true);

	return op_layer_norm(d, x, scale, bias, 1e-5);
}

const struct operator operator_layer_norm = {
	.name = "layer_norm",
	.summary = "each row to mean 0 and variance 1, then scale and bias",
	.params = (const struct param[]){ MATRIX_PARAMS, PARAM_OF_DTYPE, PARAM_END },
	.build = build_layer_norm,
};

static struct op *build_matrix_norm(struct dag *d, const struct args *args)
{
	int64_t shape[] = { args_int(args, "b"), args_int(args, "m"), args_int(args, "n") };

	return op_matrix_norm(d, build_input(d, "X", args_dtype(args), 3, shape, false));
}

const struct operator operator_matrix_norm = {
	.name = "matrix_norm",
	.summary = "square root of the sum of squares of each matrix",
	.params = (const struct param[]){ SIZE_OR("b", "1", "number of matrices"), MATRIX_PARAMS,
					  PARAM_OF_DTYPE, PARAM_END },
	.build = build_matrix_norm,
};
