/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/pool.c - maximum and average over windows. */
#include "te/operator.h"
#include "te/ops/build.h"

/* REDUCER over the windows of X padded with FILL. */
static struct op *reduce_windows(struct dag *d, const char *name, struct op *x,
				 const struct pool *pool, enum reducer reducer, double fill,
				 struct image *im)
{
	const struct conv *c = &pool->window;
	struct axis *space[TENSOR_MAX_DIMS], *reduce[SPATIAL_MAX];
	const struct expr *index[TENSOR_MAX_DIMS];
	struct window win;

	if (!x || image_of(x, c->spatial, c->layout, im) < 0 ||
	    window_of(x, im, c, pool->kernel, &win) < 0)
		return NULL;
	struct op *p = image_pad(d, x, im, c, &win, fill);

	if (!p)
		return NULL;
	image_axes(d, im, x->tensor.shape[0], im->channels, win.out, space);
	for (int i = 0; i < im->ndim; i++)
		index[i] = axis_expr(d, space[i]);
	for (int i = 0; i < im->spatial; i++) {
		int at = im->first + i;

		reduce[i] = dag_axis(d, spatial_name(im->spatial, i, true), pool->kernel[i]);
		index[at] = space[at]->hi == 1
			  ? expr_mul(d->arena, axis_expr(d, reduce[i]), c->dilation[i])
			  : window_index(d, c, i, space[at], reduce[i]);
	}
	return build_reduce(d, name, space, im->ndim, reducer, reduce, im->spatial,
			    read_at(d, p, index));
}

struct op *op_max_pool(struct dag *d, struct op *x, const struct pool *pool)
{
	struct image im;
	double least = x ? reducer_identity(REDUCE_MAX, x->tensor.dtype) : 0;

	return reduce_windows(d, "max_pool", x, pool, REDUCE_MAX, least, &im);
}

/* How many elements of the unpadded image the window at PLACE covers in spatial dimension I. */
static const struct expr *covered(struct dag *d, const struct pool *pool, int i, int64_t extent,
				  const struct axis *place)
{
	const struct conv *c = &pool->window;
	int64_t low = c->pad_begin[i];
	int64_t k = pool->kernel[i];
	const struct expr *from = expr_mul(d->arena, axis_expr(d, place), c->stride[i]);
	const struct expr *end = expr_add(d->arena, from, expr_int(d->arena, k - low));
	bool over = (place->hi - 1) * c->stride[i] + k - low > extent;

	from = expr_add(d->arena, from, expr_int(d->arena, -low));
	if (over)
		end = build_binary(d, EXPR_MIN, end, expr_int(d->arena, extent));
	if (low > 0)
		from = build_binary(d, EXPR_MAX, from, expr_int(d->arena, 0));
	return low > 0 || over ? build_binary(d, EXPR_SUB, end, from) : expr_int(d->arena, k);
}

/* The divisor of the element of an average at AXES. */
static const struct expr *window_count(struct dag *d, const struct op *x, const struct image *im,
				       const struct pool *pool, struct axis *const *axes)
{
	const struct expr *count = expr_int(d->arena, 1);

	for (int i = 0; i < im->spatial; i++) {
		int at = im->first + i;
		const struct expr *n = pool->count_include_pad
				     ? expr_int(d->arena, pool->kernel[i])
				     : covered(d, pool, i, x->tensor.shape[at], axes[at]);

		count = build_binary(d, EXPR_MUL, count, n);
	}
	return expr_cast(d->arena, x->tensor.dtype, count);
}

/* At the border, where padding is not counted, a window must touch the image. */
static int check_average(const struct op *x, const struct pool *pool)
{
	const struct conv *c = &pool->window;

	if (!dtype_is_float(x->tensor.dtype))
		return err_set("%s: an average needs floats, not %s", x->tensor.name,
			       dtype_name(x->tensor.dtype));
	for (int i = 0; i < c->spatial && !pool->count_include_pad; i++) {
		if (c->dilation[i] != 1)
			return err_set("%s: an average that leaves out padding has no dilation",
				       x->tensor.name);
		if (c->pad_begin[i] >= pool->kernel[i] || c->pad_end[i] >= pool->kernel[i])
			return err_set("%s: padding of an average that leaves it out must be below "
				       "the kernel %jd", x->tensor.name,
				       (intmax_t)pool->kernel[i]);
	}
	return 0;
}

struct op *op_avg_pool(struct dag *d, struct op *x, const struct pool *pool)
{
	struct image im;
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!x || pool->window.spatial < 1 || pool->window.spatial > SPATIAL_MAX ||
	    check_average(x, pool) < 0)
		return NULL;
	struct op *sum = reduce_windows(d, "pool_sum", x, pool, REDUCE_SUM, 0, &im);

	if (!sum)
		return NULL;
	axes_like(d, sum, axes);
	return build_map(d, "avg_pool", axes, im.ndim,
			 build_binary(d, EXPR_DIV, read_axes(d, sum, axes),
				window_count(d, x, &im, pool, axes)));
}

struct op *op_global_avg_pool(struct dag *d, struct op *x, int spatial, enum layout layout)
{
	struct pool pool = { .window = conv_plain(spatial, layout) };
	struct image im;

	if (!x || image_of(x, spatial, layout, &im) < 0)
		return NULL;
	for (int i = 0; i < spatial; i++)
		pool.kernel[i] = x->tensor.shape[im.first + i];
	return op_avg_pool(d, x, &pool);
}

static struct op *image_arg(struct dag *d, const struct args *args)
{
	int64_t extent[] = { args_int(args, "h"), args_int(args, "w") };

	return build_image(d, "X", args, args_int(args, "n"), args_int(args, "c"), 2, extent);
}

#define IMAGE_PARAMS                                                                               \
	SIZE_OR("n", "1", "batch"), SIZE("c", "channels"), SIZE("h", "height"), SIZE("w", "width")

static struct op *build_max_pool(struct dag *d, const struct args *args)
{
	struct pool pool = { .count_include_pad = false };

	if (args_conv(args, 2, &pool.window) < 0 || args_spatial(args, "k", 2, pool.kernel) < 0)
		return NULL;
	return op_max_pool(d, image_arg(d, args), &pool);
}

const struct operator operator_max_pool = {
	.name = "max_pool",
	.summary = "greatest element of each window over two spatial dimensions",
	.params = (const struct param[]){ IMAGE_PARAMS, PARAM_KERNEL, PARAM_STRIDE, PARAM_PAD,
					  PARAM_DILATION, PARAM_OF_LAYOUT, PARAM_OF_DTYPE,
					  PARAM_END },
	.build = build_max_pool,
};

static struct op *build_avg_pool(struct dag *d, const struct args *args)
{
	struct pool pool = { .count_include_pad = args_int(args, "count_pad") };

	if (args_conv(args, 2, &pool.window) < 0 || args_spatial(args, "k", 2, pool.kernel) < 0)
		return NULL;
	return op_avg_pool(d, image_arg(d, args), &pool);
}

const struct operator operator_avg_pool = {
	.name = "avg_pool",
	.summary = "average of each window over two spatial dimensions",
	.params = (const struct param[]){ IMAGE_PARAMS, PARAM_KERNEL, PARAM_STRIDE, PARAM_PAD,
					  FLAG("count_pad", "0", "1: padding counts as zeros"),
					  PARAM_OF_LAYOUT, PARAM_OF_DTYPE, PARAM_END },
	.build = build_avg_pool,
};

static struct op *build_global_avg_pool(struct dag *d, const struct args *args)
{
	int64_t block;

	return op_global_avg_pool(d, image_arg(d, args), 2, args_layout(args, &block));
}

const struct operator operator_global_avg_pool = {
	.name = "global_avg_pool",
	.summary = "average over the whole image",
	.params = (const struct param[]){IMAGE_PARAMS, PARAM_OF_LAYOUT, PARAM_OF_DTYPE, PARAM_END},
	.build = build_global_avg_pool,
};
