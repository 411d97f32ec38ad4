/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/lrn.c - lrn(x): local response normalisation, over neighbouring channels
 * [Krizhevsky et al. 2012, 3.3]. */
#include <math.h>

#include "base/err.h"
#include "graph/op/dense/product.h"
#include "graph/op/express.h"
#include "graph/op/gradient.h"
#include "te/ops/build.h"

static int lrn_type(struct infer *x)
{
	int64_t size = call_int(x->call, "size");

	if (infer_class(x, 0, CLASS_BIT(FLOAT)) < 0)
		return -1;
	if (size < 1 || size > GRAPH_MAX_DIM)
		return infer_error(x, "a window of %lld channels", (long long)size);
	if (infer_rank(x, 0) == 0 || infer_rank(x, 0) == 1)
		return infer_error(x, "an operand without channels");
	return infer_like(x, 0, infer_type(x, 0)->element);
}

/* The windows of LRN: channel c sees [c - before, c + after]. */
static int64_t channels_before(const struct binding *call)
{
	return (call_int(call, "size") - 1) / 2;
}

#define NORMALISE(T)                                                                               \
	/* Channel C of C_COUNT with N elements each. */                                           \
	static void normalise_##T(const struct binding *call, const T *x, int64_t c,               \
				  int64_t channels, int64_t n, T *sum, T *y)                       \
	{                                                                                          \
		int64_t size = call_int(call, "size"), from = c - channels_before(call);           \
		int64_t to = from + size < channels ? from + size : channels;                      \
		T scale = (T)(call_float(call, "alpha") / (double)size);                           \
		T bias = (T)call_float(call, "bias"), beta = (T)call_float(call, "beta");          \
                                                                                                   \
		memset(sum, 0, sizeof(T) * (size_t)n);                                             \
		for (from = from < 0 ? 0 : from; from < to; from++)                                \
			for (int64_t i = 0; i < n; i++)                                            \
				sum[i] += x[from * n + i] * x[from * n + i];                       \
		for (int64_t i = 0; i < n; i++)                                                    \
			y[c * n + i] = x[c * n + i] / (T)pow(bias + scale * sum[i], beta);         \
	}

NORMALISE(float)
NORMALISE(double)

static int lrn_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0);

	if (in->rank < 2 || !element_is_float(in->element))
		return eval_error(x, "%s of rank %d", element_name(in->element), in->rank);
	struct array *y = eval_result_like(x, 0, in);
	enum element e = product_element(in->element);
	int64_t channels = in->dim[1], n = shape_count(in->rank - 2, in->dim + 2);
	size_t size = element_bytes(e);

	if (!y || y->count == 0)
		return y ? 0 : -1;
	const char *from = product_operand(x, in, e);
	char *out = product_target(x, y, e), *to = out;
	void *sum = eval_scratch(x, (size_t)n * size);

	for (int64_t i = 0; i < in->dim[0]; i++) {
		for (int64_t c = 0; c < channels; c++) {
			if (eval_clock(x) < 0)
				return -1;
			if (e == ELEMENT_F32)
				normalise_float(x->call, (const float *)from, c, channels, n, sum,
						(float *)to);
			else
				normalise_double(x->call, (const double *)from, c, channels, n, sum,
						 (double *)to);
		}
		from += (size_t)(channels * n) * size;
		to += (size_t)(channels * n) * size;
	}
	product_store(y, e, out);
	return 0;
}

/* The square of X in channel c + r - before; 0 where there is none. */
static const struct expr *square_of(struct dag *d, const struct op *x, struct axis *const *axes,
				    const struct axis *r, int64_t before)
{
	struct arena *a = d->arena;
	const struct expr *index[TENSOR_MAX_DIMS];

	for (int i = 0; i < x->tensor.ndim; i++)
		index[i] = axis_expr(d, axes[i]);
	index[1] = expr_add(a, expr_add(a, index[1], axis_expr(d, r)), expr_int(a, -before));
	const struct expr *inside =
		build_and(d, build_binary(d, EXPR_LE, expr_int(a, 0), index[1]),
			  build_binary(d, EXPR_LT, index[1], expr_int(a, x->tensor.shape[1])));
	const struct expr *v = read_at(d, x, index);

	return expr_select(a, inside, build_binary(d, EXPR_MUL, v, v),
			   expr_const(a, x->tensor.dtype, 0));
}

static struct op *lrn_express(struct express *x)
{
	struct dag *d = x->dag;
	struct op *in = x->ops[0];
	struct axis *axes[TENSOR_MAX_DIMS], *more[TENSOR_MAX_DIMS];
	int64_t size = call_int(x->call, "size");

	if (!in || size > in->tensor.shape[1] * 2)
		return express_error(x, "a window of %lld channels", (long long)size);
	axes_like(d, in, axes);
	struct axis *r = dag_axis(d, "r", size);
	struct op *sum = build_reduce(d, "squares", axes, in->tensor.ndim, REDUCE_SUM, &r, 1,
				      square_of(d, in, axes, r, channels_before(x->call)));

	if (!sum)
		return NULL;
	axes_like(d, in, more);
	const struct expr *v =
		build_binary_const(d, EXPR_MUL, read_axes(d, sum, more),
				   call_float(x->call, "alpha") / (double)size);

	v = build_binary_const(d, EXPR_ADD, v, call_float(x->call, "bias"));
	v = build_binary_const(d, EXPR_POW, v, call_float(x->call, "beta"));
	return build_map(d, "lrn", more, in->tensor.ndim,
			 build_binary(d, EXPR_DIV, read_axes(d, in, more), v));
}

/* Which sees which is a matrix: 64 MiB of floats. */
enum { MOST_CHANNELS = 4096 };

/* Which channels see which: [c, c], 1 where the column's is in the row's window. */
static int windows_of(struct gradient *x, enum element e, int64_t channels)
{
	struct builder *b = x->builder;
	int64_t size = call_int(x->call, "size"), before = channels_before(x->call);
	struct array *sees = array_in(b->arena, e, 2, (int64_t[]){ channels, channels });

	for (int64_t c = 0; c < channels; c++)
		for (int64_t k = 0; k < channels; k++)
			if (k >= c - before && k < c - before + size)
				element_store(e, sees->data, c * channels + k, 1);
	return build_const(b, sees);
}

/* V, of the shape of x, summed over the windows WINDOWS, or those transposed. */
static int sum_windows(struct gradient *x, int windows, int v, bool transposed)
{
	struct builder *b = x->builder;
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "trans_a", transposed);
	int rows = build(b, &core_reshape, v, build_ints(b, 3, (int64_t[]){ 0, 0, -1 }));

	return build(b, &core_reshape, build_with(b, &core_matmul, &attrs, windows, rows),
		     build(b, &core_shape_of, x->call->args[0]));
}

/* With t = bias + scale * (sum of x^2): by * t^-beta - 2 scale beta x * (sum of by * x * t^(-beta-1)),
 * the second sum over the windows that see the channel. */
static int lrn_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int in = x->call->args[0], by = x->of_result[0];
	const struct type *t = build_type(b, in);
	double beta = call_float(x->call, "beta");
	double scale = call_float(x->call, "alpha") / (double)call_int(x->call, "size");
	int64_t channels;

	if (!type_is_ranked(t) || !dim_value(t->dim[1], &channels) || channels > MOST_CHANNELS)
		return err_set("lrn: its gradient needs a known number of channels, at most %d",
			       MOST_CHANNELS);
	int windows = windows_of(x, t->element, channels);
	int squares = sum_windows(x, windows, build(b, &core_mul, in, in), false);
	int base = build(b, &core_add, build_scalar(b, t->element, call_float(x->call, "bias")),
			 build(b, &core_mul, squares, build_scalar(b, t->element, scale)));
	int by_base = build(b, &core_mul, build(b, &core_mul, by, in),
			    build(b, &core_pow, base, build_scalar(b, t->element, -beta - 1)));
	int by_squares = build(b, &core_mul, sum_windows(x, windows, by_base, true),
			       build_scalar(b, t->element, -2 * scale * beta));

	by = build(b, &core_mul, by,
		   build(b, &core_pow, base, build_scalar(b, t->element, -beta)));
	x->of_arg[0] = build(b, &core_add, by, build(b, &core_mul, in, by_squares));
	return 0;
}

const struct core_op core_lrn = {
	.name = "lrn",
	.summary = "x [n, c, ...] / (bias + alpha / size * sum of x^2 over size channels) ^ beta",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "size", ATTR_INT, 1, NULL, "channels of a window" },
		{ "alpha", ATTR_FLOAT, 1e-4, NULL, "" },
		{ "beta", ATTR_FLOAT, 0.75, NULL, "" },
		{ "bias", ATTR_FLOAT, 1, NULL, "" },
		{ 0 } },
	.fusion = FUSION_COMPLEX,
	.type = lrn_type,
	.eval = lrn_eval,
	.express = lrn_express,
	.gradient = lrn_gradient,
};
