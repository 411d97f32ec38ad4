/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/conv.c - convolutions in all layouts, depthwise convolutions. */
#include "te/operator.h"
#include "te/ops/build.h"

/* The weight of a convolution by the meaning of its dimensions. */
struct weight {
	int64_t oc, ic;		/* ic: of one group; both of all blocks */
	int64_t kernel[SPATIAL_MAX];
};

static int weight_of(const struct op *w, const struct conv *c, const struct image *im,
		     struct weight *out)
{
	const struct tensor *t = &w->tensor;
	int expected = im->spatial + (c->layout == LAYOUT_BLOCKED ? 4 : 2);
	int kernel = c->layout == LAYOUT_NHWC ? 0 : 2;

	if (t->ndim != expected)
		return err_set("%s: a weight of %d dimensions where this layout needs %d", t->name,
			       t->ndim, expected);
	if (c->layout == LAYOUT_BLOCKED &&
	    (t->shape[t->ndim - 2] != im->block || t->shape[t->ndim - 1] != im->block))
		return err_set("%s: channel blocks of %jd x %jd do not fit data in blocks of %jd",
			       t->name, (intmax_t)t->shape[t->ndim - 2],
			       (intmax_t)t->shape[t->ndim - 1], (intmax_t)im->block);
	out->oc = t->shape[c->layout == LAYOUT_NHWC ? t->ndim - 1 : 0] * im->block;
	out->ic = t->shape[c->layout == LAYOUT_NHWC ? t->ndim - 2 : 1] * im->block;
	for (int i = 0; i < im->spatial; i++)
		out->kernel[i] = t->shape[kernel + i];
	return 0;
}

static int check_groups(const struct op *x, const struct image *im, const struct weight *w,
			int64_t groups)
{
	const char *name = x->tensor.name;

	if (groups < 1 || im->channels % groups != 0 || w->oc % groups != 0)
		return err_set("%s: %jd groups do not divide %jd and %jd channels", name,
			       (intmax_t)groups, (intmax_t)im->channels, (intmax_t)w->oc);
	if (im->channels / groups != w->ic)
		return err_set("%s: %jd channels in %jd groups, but the weight has %jd a group",
			       name, (intmax_t)im->channels, (intmax_t)groups, (intmax_t)w->ic);
	if (w->oc / groups % im->block != 0)
		return err_set("%s: groups of %jd output channels cannot be in blocks of %jd", name,
			       (intmax_t)(w->oc / groups), (intmax_t)im->block);
	return 0;
}

/* The axes a convolution reduces over, in loop order. */
struct reduction {
	struct axis *order[SPATIAL_MAX + 2];
	int n;
	struct axis *channel, *inner, *kernel[SPATIAL_MAX];
};

static void reduce_axes(struct dag *d, const struct conv *c, const struct image *im,
			const struct weight *w, struct reduction *r)
{
	r->n = 0;
	r->channel = dag_axis(d, "rc", w->ic / im->block);
	r->inner = im->inner >= 0 ? dag_axis(d, "ri", im->block) : NULL;
	if (c->layout != LAYOUT_NHWC)
		r->order[r->n++] = r->channel;
	for (int i = 0; i < im->spatial; i++) {
		r->kernel[i] = dag_axis(d, spatial_name(im->spatial, i, true), w->kernel[i]);
		r->order[r->n++] = r->kernel[i];
	}
	if (c->layout == LAYOUT_NHWC)
		r->order[r->n++] = r->channel;
	if (r->inner)
		r->order[r->n++] = r->inner;
}

/* The input channel (or block): that of the reduction within the group of the output channel. */
static const struct expr *input_channel(struct dag *d, const struct conv *c,
					const struct image *im, const struct weight *w,
					const struct axis *oc, const struct axis *rc)
{
	if (c->groups == 1)
		return axis_expr(d, rc);
	int64_t group = w->oc / c->groups / im->block;
	const struct expr *index =
		build_binary(d, EXPR_DIV, axis_expr(d, oc), expr_int(d->arena, group));

	return expr_add(d->arena, expr_mul(d->arena, index, w->ic / im->block),
			axis_expr(d, rc));
}

static const struct expr *read_weight(struct dag *d, const struct op *w, const struct conv *c,
				      const struct image *im, struct axis *const *space,
				      const struct reduction *r)
{
	struct axis *at[TENSOR_MAX_DIMS];
	bool nhwc = c->layout == LAYOUT_NHWC;
	int n = 0;

	if (!nhwc) {
		at[n++] = space[im->channel];
		at[n++] = r->channel;
	}
	for (int i = 0; i < im->spatial; i++)
		at[n++] = r->kernel[i];
	if (nhwc) {
		at[n++] = r->channel;
		at[n++] = space[im->channel];
	} else if (r->inner) {
		at[n++] = r->inner;
		at[n++] = space[im->inner];
	}
	return read_axes(d, w, at);
}

struct op *op_conv(struct dag *d, struct op *x, struct op *w, const struct conv *c)
{
	struct image im;
	struct weight weight;
	struct window win;
	struct reduction r;
	struct axis *space[TENSOR_MAX_DIMS];
	const struct expr *index[TENSOR_MAX_DIMS];

	if (!x || !w || image_of(x, c->spatial, c->layout, &im) < 0 ||
	    weight_of(w, c, &im, &weight) < 0 || check_groups(x, &im, &weight, c->groups) < 0 ||
	    window_of(x, &im, c, weight.kernel, &win) < 0)
		return NULL;
	struct op *p = image_pad(d, x, &im, c, &win, 0);

	if (!p)
		return NULL;
	image_axes(d, &im, x->tensor.shape[0], weight.oc, win.out, space);
	reduce_axes(d, c, &im, &weight, &r);
	index[0] = axis_expr(d, space[0]);
	index[im.channel] = input_channel(d, c, &im, &weight, space[im.channel], r.channel);
	for (int i = 0; i < im.spatial; i++)
		index[im.first + i] = window_index(d, c, i, space[im.first + i], r.kernel[i]);
	if (r.inner)
		index[im.inner] = axis_expr(d, r.inner);
	const struct expr *body = build_product(d, "conv", read_at(d, p, index),
					  read_weight(d, w, c, &im, space, &r));

	return body ? build_reduce(d, "conv", space, im.ndim, REDUCE_SUM, r.order, r.n, body)
		    : NULL;
}

static int check_depthwise(const struct op *x, const struct op *w, const struct conv *c,
			   const struct image *im, int64_t *kernel)
{
	const struct tensor *t = &w->tensor;
	bool nhwc = c->layout == LAYOUT_NHWC;
	int expected = im->spatial + 1 + (im->inner >= 0);

	if (t->ndim != expected)
		return err_set("%s: a depthwise weight of %d dimensions where this layout needs %d",
			       t->name, t->ndim, expected);
	if (t->shape[nhwc ? im->spatial : 0] != x->tensor.shape[im->channel] ||
	    (im->inner >= 0 && t->shape[t->ndim - 1] != im->block))
		return err_set("%s: its channels do not fit the %jd of %s", t->name,
			       (intmax_t)im->channels, x->tensor.name);
	for (int i = 0; i < im->spatial; i++)
		kernel[i] = t->shape[!nhwc + i];
	return 0;
}

struct op *op_depthwise(struct dag *d, struct op *x, struct op *w, const struct conv *c)
{
	struct image im;
	struct window win;
	int64_t kernel[SPATIAL_MAX];
	struct axis *space[TENSOR_MAX_DIMS], *reduce[SPATIAL_MAX], *weight[TENSOR_MAX_DIMS];
	const struct expr *index[TENSOR_MAX_DIMS];
	int n = 0;

	if (!x || !w || image_of(x, c->spatial, c->layout, &im) < 0 ||
	    check_depthwise(x, w, c, &im, kernel) < 0 || window_of(x, &im, c, kernel, &win) < 0)
		return NULL;
	struct op *p = image_pad(d, x, &im, c, &win, 0);

	if (!p)
		return NULL;
	image_axes(d, &im, x->tensor.shape[0], im.channels, win.out, space);
	for (int i = 0; i < im.ndim; i++)
		index[i] = axis_expr(d, space[i]);
	if (c->layout != LAYOUT_NHWC)
		weight[n++] = space[im.channel];
	for (int i = 0; i < im.spatial; i++) {
		reduce[i] = dag_axis(d, spatial_name(im.spatial, i, true), kernel[i]);
		weight[n++] = reduce[i];
		index[im.first + i] = window_index(d, c, i, space[im.first + i], reduce[i]);
	}
	if (c->layout != LAYOUT_NCHW)
		weight[n++] = space[im.ndim - 1];
	const struct expr *body = build_product(d, "depthwise", read_at(d, p, index),
					  read_axes(d, w, weight));

	return body ? build_reduce(d, "depthwise", space, im.ndim, REDUCE_SUM, reduce, im.spatial,
				   body)
		    : NULL;
}

/* --- operators */


/* The weight in the layout of the data; channels that blocks or groups do not divide are refused
 * when the convolution is built. */
static struct op *input_weight(struct dag *d, const struct args *args, const struct conv *c,
			       int64_t oc, int64_t ic, const int64_t *kernel)
{
	int64_t block;
	int64_t shape[TENSOR_MAX_DIMS];
	enum layout layout = args_layout(args, &block);
	int64_t group_ic = ic / c->groups;
	int n = 0;

	if (oc % block != 0 || group_ic % block != 0)
		return op_error("%jd output channels and %jd input channels a group are not "
				"multiples of the block %jd; use layout=nchw", (intmax_t)oc,
				(intmax_t)group_ic, (intmax_t)block);
	if (layout != LAYOUT_NHWC) {
		shape[n++] = oc / block;
		shape[n++] = group_ic / block;
	}
	for (int i = 0; i < c->spatial; i++)
		shape[n++] = kernel[i];
	if (layout != LAYOUT_NCHW) {
		shape[n++] = layout == LAYOUT_NHWC ? group_ic : block;
		shape[n++] = layout == LAYOUT_NHWC ? oc : block;
	}
	return build_input(d, "W", args_weight_dtype(args), n, shape, args_int(args, "const"));
}

static struct op *build_conv(struct dag *d, const struct args *args, int spatial)
{
	static const char *const keys[] = { "d", "h", "w" };
	int64_t extent[SPATIAL_MAX], kernel[SPATIAL_MAX];
	int64_t ic = args_int(args, "ic");
	int64_t oc = args_int(args, "oc");
	struct conv c;

	for (int i = 0; i < spatial; i++)
		extent[i] = args_int(args, keys[SPATIAL_MAX - spatial + i]);
	if (args_conv(args, spatial, &c) < 0 || args_spatial(args, "k", spatial, kernel) < 0)
		return NULL;
	if (ic % c.groups != 0 || oc % c.groups != 0)
		return op_error("g=%jd does not divide ic=%jd and oc=%jd", (intmax_t)c.groups,
				(intmax_t)ic, (intmax_t)oc);
	struct op *x = build_image(d, "X", args, args_int(args, "n"), ic, spatial, extent);
	struct op *w = x ? input_weight(d, args, &c, oc, ic, kernel) : NULL;

	return build_epilogue(d, op_conv(d, x, w, &c), args, oc, c.layout);
}

#define CONV_PARAMS \
	SIZE("oc", "output channels"), PARAM_KERNEL, PARAM_STRIDE, PARAM_PAD, PARAM_DILATION, \
		SIZE_OR("g", "1", "groups"), PARAM_OF_LAYOUT, PARAM_CONST, PARAM_BIAS, PARAM_ACT, \
		PARAM_OF_DTYPE, PARAM_OF_WEIGHT, PARAM_SHIFT, PARAM_END

static struct op *build_conv1d(struct dag *d, const struct args *args)
{
	return build_conv(d, args, 1);
}

const struct operator operator_conv1d = {
	.name = "conv1d",
	.summary = "convolution over one spatial dimension",
	.params = (const struct param[]){ SIZE_OR("n", "1", "batch"), SIZE("ic", "input channels"),
					  SIZE("w", "width"), CONV_PARAMS },
	.build = build_conv1d,
};

static struct op *build_conv2d(struct dag *d, const struct args *args)
{
	return build_conv(d, args, 2);
}

const struct operator operator_conv2d = {
	.name = "conv2d",
	.summary = "convolution over two spatial dimensions",
	.params = (const struct param[]){ SIZE_OR("n", "1", "batch"), SIZE("ic", "input channels"),
					  SIZE("h", "height"), SIZE("w", "width"), CONV_PARAMS },
	.build = build_conv2d,
};

static struct op *build_conv3d(struct dag *d, const struct args *args)
{
	return build_conv(d, args, 3);
}

const struct operator operator_conv3d = {
	.name = "conv3d",
	.summary = "convolution over three spatial dimensions",
	.params = (const struct param[]){ SIZE_OR("n", "1", "batch"), SIZE("ic", "input channels"),
					  SIZE("d", "depth"), SIZE("h", "height"),
					  SIZE("w", "width"), CONV_PARAMS },
	.build = build_conv3d,
};

static struct op *build_depthwise(struct dag *d, const struct args *args)
{
	int64_t extent[] = { args_int(args, "h"), args_int(args, "w") };
	int64_t c = args_int(args, "c");
	int64_t shape[4], kernel[2], block;
	struct conv conv;
	int n = 0;

	if (args_conv(args, 2, &conv) < 0 || args_spatial(args, "k", 2, kernel) < 0)
		return NULL;
	struct op *x = build_image(d, "X", args, args_int(args, "n"), c, 2, extent);
	enum layout layout = args_layout(args, &block);

	if (!x)
		return NULL;
	if (layout != LAYOUT_NHWC)
		shape[n++] = c / block;
	shape[n++] = kernel[0];
	shape[n++] = kernel[1];
	if (layout != LAYOUT_NCHW)
		shape[n++] = layout == LAYOUT_NHWC ? c : block;
	struct op *w = build_input(d, "W", args_weight_dtype(args), n, shape, args_int(args, "const"));

	return build_epilogue(d, op_depthwise(d, x, w, &conv), args, c, layout);
}

const struct operator operator_depthwise = {
	.name = "depthwise",
	.summary = "convolution of each channel with a kernel of its own",
	.params = (const struct param[]){ SIZE_OR("n", "1", "batch"), SIZE("c", "channels"),
					  SIZE("h", "height"), SIZE("w", "width"), PARAM_KERNEL,
					  PARAM_STRIDE, PARAM_PAD, PARAM_DILATION, PARAM_OF_LAYOUT,
					  PARAM_CONST, PARAM_BIAS, PARAM_ACT, PARAM_OF_DTYPE, PARAM_OF_WEIGHT,
					  PARAM_END },
	.build = build_depthwise,
};
