/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/resize/taps.c - the formulas of ONNX's Resize: coordinates, weights, extents. */
#include <math.h>

#include "graph/op/move/axes.h"
#include "graph/op/resize/resize.h"

bool resize_of(const struct binding *call, struct resize *r)
{
	static const char *const modes[] = { "nearest", "linear", "cubic" };
	static const char *const coordinates[] = {
		"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
		"asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize" };
	static const char *const nearest[] = { "round_prefer_floor", "round_prefer_ceil", "floor",
					       "ceil" };

	*r = (struct resize){
		.mode = (enum resize_mode)call_choice(call, "mode", modes, RESIZE_MODES),
		.coordinates = (enum resize_coordinates)call_choice(call, "coordinates", coordinates,
								    RESIZE_COORDINATES),
		.nearest = (enum resize_nearest)call_choice(call, "nearest", nearest, NEARESTS),
		.cubic_a = call_float(call, "cubic_a"),
		.extrapolation = call_float(call, "extrapolation"),
		.exclude_outside = call_flag(call, "exclude_outside"),
		.antialias = call_flag(call, "antialias"),
	};
	return r->mode < RESIZE_MODES && r->coordinates < RESIZE_COORDINATES &&
	       r->nearest < NEARESTS;
}

/* --- extents */

static const struct array *present(const struct array *x)
{
	return x && x->count ? x : NULL;
}

/* One scale for all axes that are resized, so that none is larger, or smaller, than asked for. */
static const char *keep_aspect(const struct binding *call, int rank, const int *where,
			       struct resize_axis *axes)
{
	static const char *const names[] = { "stretch", "not_larger", "not_smaller" };
	int policy = call_choice(call, "keep_aspect", names, 3);
	double scale = policy == 1 ? INFINITY : 0;

	if (policy == 0)
		return NULL;
	if (policy == 3)
		return "no such policy of keeping the aspect";
	for (int i = 0; i < rank; i++)
		if (where[i] >= 0)
			scale = policy == 1 ? fmin(scale, axes[i].scale) : fmax(scale, axes[i].scale);
	for (int i = 0; i < rank; i++)
		if (where[i] >= 0) {
			axes[i].scale = scale;
			axes[i].out = (int64_t)(scale * (double)axes[i].in + 0.5);
		}
	return NULL;
}

const char *resize_axes(const struct binding *call, int rank, const int64_t *dim,
			const struct array *const *of, struct resize_axis *axes)
{
	const struct array *roi = present(of[RESIZE_ROI]), *sizes = present(of[RESIZE_SIZES]);
	const struct array *scales = present(of[RESIZE_SCALES]), *given = sizes ? sizes : scales;
	int n, where[GRAPH_MAX_RANK];
	const int64_t *listed = call_ints(call, "axes", &n);

	n = listed ? n : rank;
	if (!axes_find(n, listed, rank, where))
		return "axes that it has not, or twice";
	if (!given || given->count != n || (roi && roi->count != 2 * n))
		return "there must be a scale or a size for each axis";
	for (int i = 0; i < rank; i++) {
		int at = where[i];

		axes[i] = (struct resize_axis){ dim[i], dim[i], 1, 0, 1 };
		if (at < 0)
			continue;
		if (roi) {
			axes[i].begin = array_float(roi, at);
			axes[i].end = array_float(roi, n + at);
		}
		double out = sizes ? array_float(sizes, at) : array_float(scales, at) * (double)dim[i];

		if (!(out >= 0 && out <= (double)GRAPH_MAX_DIM))
			return "an extent beyond any size";
		axes[i].out = (int64_t)out;
		axes[i].scale = sizes ? out / (double)dim[i] : array_float(scales, at);
	}
	const char *why = sizes ? keep_aspect(call, rank, where, axes) : NULL;

	for (int i = 0; i < rank && !why; i++)
		if (axes[i].out > GRAPH_MAX_DIM || (axes[i].in == 0 && axes[i].out > 0))
			why = "an axis without elements cannot grow";
	return why;
}

bool resize_keeps(const struct resize_axis *axis)
{
	return axis->in == axis->out && axis->scale == 1 && axis->begin == 0 && axis->end == 1;
}

/* --- coordinates and weights */

/* Where place J of the result is among the elements of the axis. */
static double coordinate(enum resize_coordinates c, const struct resize_axis *axis, int64_t j)
{
	double x = (double)j, in = (double)axis->in, out = axis->scale * in;
	double centre = (x + 0.5) / axis->scale - 0.5;

	switch (c) {
	case HALF_PIXEL:
		return centre;
	case HALF_PIXEL_SYMMETRIC:
		return centre + in / 2 * (1 - (double)axis->out / out);
	case PYTORCH_HALF_PIXEL:
		return out == 1 ? -0.5 : centre;
	case ALIGN_CORNERS:
		return out == 1 ? 0 : x * (in - 1) / (out - 1);
	case ASYMMETRIC:
		return x / axis->scale;
	case TF_HALF_PIXEL_FOR_NN:
		return (x + 0.5) / axis->scale;
	case TF_CROP_AND_RESIZE:
		return axis->begin * (in - 1) +
		       (out == 1 ? (axis->end - axis->begin) * (in - 1) / 2
				 : x * (axis->end - axis->begin) * (in - 1) / (out - 1));
	case RESIZE_COORDINATES:
		break;
	}
	return x;
}

/* The weight of the element that is D away. */
static double linear_weight(double d)
{
	return fmax(1 - fabs(d), 0);
}

/* Keys' cubic convolution with the parameter A. */
static double cubic_weight(double d, double a)
{
	d = fabs(d);
	if (d <= 1)
		return ((a + 2) * d - (a + 3)) * d * d + 1;
	return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

static double weight(const struct resize *r, double ratio, int64_t k, double shrink)
{
	switch (r->mode) {
	case RESIZE_NEAREST: {
		bool up = r->nearest == ROUND_PREFER_FLOOR  ? ratio > 0.5
			: r->nearest == ROUND_PREFER_CEIL   ? ratio >= 0.5
			: r->nearest == NEAREST_FLOOR	    ? ratio == 1
							    : true;

		return k == (up ? 1 : 0);
	}
	case RESIZE_LINEAR:
		return linear_weight(((double)k - ratio) * shrink);
	case RESIZE_CUBIC:
	case RESIZE_MODES:
		break;
	}
	return cubic_weight(((double)k - ratio) * shrink, r->cubic_a);
}

/* The taps of one place: elements from FIRST on, whose weights in the end have the sum 1 where they
 * are filtered or some are left out. */
static void set_taps(const struct resize *r, const struct resize_axis *axis, double ratio,
		     double shrink, int64_t base, int64_t first, struct taps *t, int64_t place)
{
	double sum = 0;
	bool normalized = r->exclude_outside || (r->antialias && r->mode != RESIZE_NEAREST);

	for (int64_t k = 0; k < t->width; k++) {
		int64_t at = base + first + k;
		bool inside = at >= 0 && at < axis->in;
		double w = weight(r, ratio, first + k, shrink);

		w = r->exclude_outside && !inside ? 0 : w;
		sum += w;
		t->index[place * t->width + k] = at < 0 ? 0 : at < axis->in ? at : axis->in - 1;
		t->weight[place * t->width + k] = w;
	}
	for (int64_t k = 0; k < t->width && normalized && sum != 0; k++)
		t->weight[place * t->width + k] /= sum;
}

/* A gigabyte; a filter over an axis of 16 million elements. */
enum { MAX_TAPS = 1 << 26 };

bool resize_taps(struct arena *a, const struct resize *r, const struct resize_axis *axis,
		 struct taps *t)
{
	/* filters become wider where the axis shrinks */
	bool filters = r->antialias && r->mode != RESIZE_NEAREST;
	double shrink = filters ? fmin(axis->scale, 1) : 1;
	int64_t first = (int64_t)floor(-(r->mode == RESIZE_CUBIC ? 2 : 1) / shrink) + 1;
	double last = (double)(axis->in - 1);

	*t = (struct taps){ .n = axis->out, .width = 2 - 2 * first };
	if (t->n > MAX_TAPS / t->width)
		return false;
	t->index = arena_many(a, int64_t, t->n * t->width);
	t->weight = arena_many(a, double, t->n * t->width);
	t->outside = arena_many(a, bool, t->n);
	for (int64_t j = 0; j < t->n; j++) {
		double x = coordinate(r->coordinates, axis, j);

		t->outside[j] = r->coordinates == TF_CROP_AND_RESIZE && !(x >= 0 && x <= last);
		/* beyond these places all taps are the first or the last element */
		x = fmax(fmin(x, last + (double)t->width), -(double)t->width);
		double base = ceil(x) - 1;	/* an element at x itself is the second of two */

		set_taps(r, axis, x - base, shrink, (int64_t)base, first, t, j);
	}
	return true;
}
