/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/image.c - images in their layouts, windows over them, their padding. */
#include <assert.h>

#include "te/limits.h"
#include "te/ops/build.h"

struct conv conv_plain(int spatial, enum layout layout)
{
	struct conv c = { .spatial = spatial, .groups = 1, .layout = layout };

	for (int i = 0; i < SPATIAL_MAX; i++)
		c.stride[i] = c.dilation[i] = 1;
	return c;
}

int image_of(const struct op *x, int spatial, enum layout layout, struct image *im)
{
	bool blocked = layout == LAYOUT_BLOCKED;
	const struct tensor *t = &x->tensor;

	if (spatial < 1 || spatial > SPATIAL_MAX)
		return err_set("%s: %d spatial dimensions, not 1 to %d", t->name, spatial,
			       SPATIAL_MAX);
	im->spatial = spatial;
	im->ndim = spatial + 2 + blocked;
	if (t->ndim != im->ndim)
		return err_set("%s: has %d dimensions where this layout needs %d", t->name, t->ndim,
			       im->ndim);
	im->channel = layout == LAYOUT_NHWC ? im->ndim - 1 : 1;
	im->inner = blocked ? im->ndim - 1 : -1;
	im->first = layout == LAYOUT_NHWC ? 1 : 2;
	im->block = blocked ? t->shape[im->inner] : 1;
	im->channels = t->shape[im->channel] * im->block;
	return 0;
}

const char *spatial_name(int n, int i, bool kernel)
{
	static const char *const name[] = { "kz", "ky", "kx" };

	return name[SPATIAL_MAX - n + i] + !kernel;
}

void image_axes(struct dag *d, const struct image *im, int64_t batch, int64_t channels,
		const int64_t *extent, struct axis **axes)
{
	axes[0] = dag_axis(d, "n", batch);
	axes[im->channel] = dag_axis(d, "c", channels / im->block);
	for (int i = 0; i < im->spatial; i++)
		axes[im->first + i] = dag_axis(d, spatial_name(im->spatial, i, false), extent[i]);
	if (im->inner >= 0)
		axes[im->inner] = dag_axis(d, "ci", im->block);
}

static bool in(int64_t v, int64_t lo)
{
	return v >= lo && v <= EXTENT_MAX;
}

int window_of(const struct op *x, const struct image *im, const struct conv *c,
	      const int64_t *kernel, struct window *win)
{
	const char *name = x->tensor.name;

	for (int i = 0; i < im->spatial; i++) {
		int64_t extent = x->tensor.shape[im->first + i];

		if (!in(c->stride[i], 1) || !in(c->dilation[i], 1) || !in(kernel[i], 1))
			return err_set(
				"%s: kernel, stride and dilation are 1 or more, not %jd, %jd, "
				"%jd",
				name, (intmax_t)kernel[i], (intmax_t)c->stride[i],
				(intmax_t)c->dilation[i]);
		if (!in(c->pad_begin[i], 0) || !in(c->pad_end[i], 0))
			return err_set("%s: padding is 0 or more, not %jd, %jd", name,
				       (intmax_t)c->pad_begin[i], (intmax_t)c->pad_end[i]);
		int64_t span = c->dilation[i] * (kernel[i] - 1) + 1;
		int64_t room = extent + c->pad_begin[i] + c->pad_end[i] - span;

		if (room < 0)
			return err_set(
				"%s: a window of %jd does not fit an extent of %jd padded by "
				"%jd and %jd",
				name, (intmax_t)span, (intmax_t)extent, (intmax_t)c->pad_begin[i],
				(intmax_t)c->pad_end[i]);
		win->out[i] = room / c->stride[i] + 1;
		win->padded[i] = (win->out[i] - 1) * c->stride[i] + span;
		if (win->padded[i] > EXTENT_MAX)
			return err_set("%s: the padded extent %jd is too large", name,
				       (intmax_t)win->padded[i]);
	}
	return 0;
}

/* Axes that run over the padded X. */
static void padded_axes(struct dag *d, const struct op *x, const struct image *im,
			const struct window *win, struct axis **axes)
{
	static const char *const behind[] = { "i", "j", "k", "l" };

	for (int i = 0; i < im->ndim; i++) {
		int spatial = i - im->first;
		bool moves = spatial >= 0 && spatial < im->spatial;
		const char *name = moves ? spatial_name(im->spatial, spatial, false)
				 : i == 0 ? "n" : i == im->channel ? "c"
				 : i == im->inner ? "ci" : behind[i - im->channel - 1];

		axes[i] = dag_axis(d, name, moves ? win->padded[spatial] : x->tensor.shape[i]);
	}
}

struct op *image_pad(struct dag *d, struct op *x, const struct image *im, const struct conv *c,
	       const struct window *win, double fill)
{
	const struct expr *inside = NULL;
	const struct expr *index[TENSOR_MAX_DIMS];
	struct axis *axes[TENSOR_MAX_DIMS];
	bool need = false;

	for (int i = 0; i < im->spatial; i++)
		need |= c->pad_begin[i] > 0 || win->padded[i] > x->tensor.shape[im->first + i];
	if (!need)
		return x;
	padded_axes(d, x, im, win, axes);
	for (int i = 0; i < im->ndim; i++)
		index[i] = axis_expr(d, axes[i]);
	for (int i = 0; i < im->spatial; i++) {
		int at = im->first + i;
		const struct expr *y = index[at];
		int64_t low = c->pad_begin[i];
		int64_t end = x->tensor.shape[at] + low;

		index[at] = expr_add(d->arena, y, expr_int(d->arena, -low));
		if (low > 0)
			inside = build_and(d, inside,
					 build_binary(d, EXPR_LE, expr_int(d->arena, low), y));
		if (win->padded[i] > end)
			inside = build_and(d, inside,
					 build_binary(d, EXPR_LT, y, expr_int(d->arena, end)));
	}
	const struct expr *value = read_at(d, x, index);

	return build_map(d, "pad", axes, im->ndim,
			 expr_select(d->arena, inside, value,
				     expr_const(d->arena, x->tensor.dtype, fill)));
}

const struct expr *window_index(struct dag *d, const struct conv *c, int i,
				const struct axis *place, const struct axis *k)
{
	return expr_add(d->arena, expr_mul(d->arena, axis_expr(d, place), c->stride[i]),
			expr_mul(d->arena, axis_expr(d, k), c->dilation[i]));
}
