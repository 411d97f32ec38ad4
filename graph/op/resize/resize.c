/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/resize/resize.c - images of another size, axis by axis. */
#include "graph/op/resize/resize.h"

#include <math.h>

#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/op/gradient.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"
#include "graph/op/move/tables.h"

/* --- type */

/* What can be said of the extents before sizes and scales are known: those of axes that stay, and
 * sizes that are expressions, or whole multiples. */
static int symbolic_type(struct infer *x, const struct type *from)
{
	struct dim out[GRAPH_MAX_RANK];
	int n, nsizes, where[GRAPH_MAX_RANK];
	const int64_t *listed = call_ints(x->call, "axes", &n);
	const struct dim *sizes = infer_elements(x, RESIZE_SIZES, &nsizes);
	const struct array *scales = infer_const(x, RESIZE_SCALES);
	bool stretches = strcmp(call_string(x->call, "keep_aspect"), "stretch") == 0;

	n = listed ? n : from->rank;
	if (!axes_find(n, listed, from->rank, where))
		return infer_error(x, "axes that rank %d has not, or twice", from->rank);
	for (int i = 0; i < from->rank; i++) {
		int at = where[i];

		out[i] = at < 0 ? from->dim[i] : dim_unknown();
		if (at < 0)
			continue;
		if (sizes && nsizes == n && stretches)
			out[i] = sizes[at];
		double scale = scales && scales->count == n ? array_float(scales, at) : 0.5;

		if (scale >= 1 && scale < (double)GRAPH_MAX_DIM && scale == floor(scale))
			out[i] = dim_mul(x->arena, from->dim[i], dim_number((int64_t)scale));
	}
	return infer_tensor(x, from->element, from->rank, out);
}

static int resize_type(struct infer *x)
{
	const struct type *from = infer_type(x, RESIZE_X);
	const struct array *of[RESIZE_OPERANDS];
	struct resize r;
	struct resize_axis axes[GRAPH_MAX_RANK];
	int64_t dim[GRAPH_MAX_RANK];

	if (!resize_of(x->call, &r))
		return infer_error(x, "an attribute has a value that there is not");
	if (infer_class(x, RESIZE_X, r.mode == RESIZE_NEAREST ? CLASS_ANY : CLASS_NUMBERS) < 0 ||
	    infer_class(x, RESIZE_ROI, CLASS_BIT(FLOAT)) < 0 ||
	    infer_class(x, RESIZE_SCALES, CLASS_BIT(FLOAT)) < 0 || infer_list(x, RESIZE_SIZES) < 0)
		return -1;
	if (!type_is_ranked(from))
		return infer_unranked(x, from->element);
	bool known = type_shape(from, dim);

	for (int i = 0; i < RESIZE_OPERANDS; i++) {
		of[i] = infer_const(x, i);
		known &= of[i] || i == RESIZE_ROI || i == RESIZE_X || !infer_has(x, i);
	}
	if (!known)
		return symbolic_type(x, from);
	const char *why = resize_axes(x->call, from->rank, dim, of, axes);

	if (why)
		return infer_error(x, "%s", why);
	for (int i = 0; i < from->rank; i++)
		dim[i] = axes[i].out;
	x->result = type_shaped(x->arena, from->element, from->rank, dim);
	return shape_count(from->rank, dim) < 0 ? infer_error(x, "a result beyond any size") : 0;
}

/* --- evaluation */

/* Elements are copied: tables of places. */
static int pick(struct eval *x, const struct resize *r, const struct taps *taps, struct array *y)
{
	const struct array *from = eval_array(x, RESIZE_X);
	const int64_t *table[GRAPH_MAX_RANK];
	struct array *value = array_in(eval_arena(x), y->element, 0, NULL);

	if (y->element != ELEMENT_STRING)
		element_store(y->element, value->data, 0, r->extrapolation);
	array_fill(y, value);
	for (int i = 0; i < from->rank; i++) {
		const struct taps *t = &taps[i];
		int64_t *places = eval_scratch(x, (size_t)(y->dim[i] + 1) * sizeof(*places));

		for (int64_t j = 0; j < y->dim[i]; j++)
			places[j] = !t->n ? j : t->outside[j] ? OUTSIDE
				   : t->index[j * 2 + (t->weight[j * 2] == 0)];
		table[i] = places;
	}
	if (y->count)
		tables_copy(y, from, table);
	return 0;
}

/* Elements are weighted sums, of one axis after the other, in f32 or f64. */
#define COMBINE(type)                                                                              \
	static void combine_##type(const struct taps *t, double outside, int64_t outer, int64_t in, \
				   int64_t inner, const type *from, type *to)                      \
	{                                                                                          \
		for (int64_t o = 0; o < outer; o++, from += in * inner)                            \
			for (int64_t j = 0; j < t->n; j++, to += inner) {                          \
				for (int64_t i = 0; i < inner; i++)                                \
					to[i] = t->outside[j] ? (type)outside : 0;                 \
				for (int64_t k = 0; k < t->width && !t->outside[j]; k++) {         \
					type w = (type)t->weight[j * t->width + k];                \
					const type *row = from + t->index[j * t->width + k] * inner; \
                                                                                                   \
					for (int64_t i = 0; i < inner; i++)                        \
						to[i] += w * row[i];                               \
				}                                                                  \
			}                                                                          \
	}
COMBINE(float)
COMBINE(double)

/* Numbers that integers are made of: rounded, and within their bounds. */
static void put_numbers(struct array *y, double *v)
{
	double least = (double)element_min(y->element), greatest = (double)element_max(y->element);

	for (int64_t i = 0; i < y->count; i++)
		v[i] = fmin(fmax(rint(v[i]), least), greatest);
	element_put_f64(y->element, y->data, 0, y->count, v);
}

static int combine(struct eval *x, const struct resize *r, const struct taps *taps, struct array *y)
{
	const struct array *from = eval_array(x, RESIZE_X);
	bool wide = from->element == ELEMENT_F64 || !element_is_float(from->element);
	size_t bytes = wide ? sizeof(double) : sizeof(float);
	int64_t dim[GRAPH_MAX_RANK];
	void *now = eval_scratch(x, (size_t)(from->count + 1) * bytes);

	if (wide)
		element_get_f64(from->element, from->data, 0, from->count, now);
	else
		element_get_f32(from->element, from->data, 0, from->count, now);
	memcpy(dim, from->dim, sizeof(dim));
	for (int i = 0; i < from->rank; i++) {
		int64_t in = dim[i], outer = shape_count(i, dim);
		int64_t inner = shape_count(from->rank - i - 1, dim + i + 1);

		if (!taps[i].n)
			continue;
		dim[i] = taps[i].n;
		int64_t count = shape_count(from->rank, dim);

		if (count < 0 || count > x->interp->limits.bytes / (int64_t)bytes)
			return eval_error(x, "its results on the way are too large");
		void *next = eval_scratch(x, (size_t)(count + 1) * bytes);

		if (wide)
			combine_double(&taps[i], r->extrapolation, outer, in, inner, now, next);
		else
			combine_float(&taps[i], r->extrapolation, outer, in, inner, now, next);
		now = next;
	}
	if (!wide)
		element_put_f32(y->element, y->data, 0, y->count, now);
	else if (element_is_float(y->element))
		element_put_f64(y->element, y->data, 0, y->count, now);
	else
		put_numbers(y, now);
	return 0;
}

static int resize_eval(struct eval *x)
{
	const struct array *from = eval_array(x, RESIZE_X), *of[RESIZE_OPERANDS];
	struct resize r;
	struct resize_axis axes[GRAPH_MAX_RANK];
	struct taps taps[GRAPH_MAX_RANK] = { 0 };
	int64_t dim[GRAPH_MAX_RANK];

	for (int i = 0; i < RESIZE_OPERANDS; i++)
		of[i] = eval_array(x, i);
	resize_of(x->call, &r);
	const char *why = resize_axes(x->call, from->rank, from->dim, of, axes);

	if (why)
		return eval_error(x, "%s", why);
	for (int i = 0; i < from->rank; i++)
		dim[i] = axes[i].out;
	struct array *y = eval_result(x, 0, from->element, from->rank, dim);

	if (!y || y->count == 0)
		return y ? 0 : -1;
	for (int i = 0; i < from->rank; i++)
		if (!resize_keeps(&axes[i]) && !resize_taps(eval_arena(x), &r, &axes[i], &taps[i]))
			return eval_error(x, "axis %d is too long", i);
	return r.mode == RESIZE_NEAREST ? pick(x, &r, taps, y) : combine(x, &r, taps, y);
}

/* --- gradient: each axis is a product with the matrix of its weights */

/* The matrix [out, in] of taps, as a constant. */
static int weights(struct builder *b, enum element e, const struct taps *t, int64_t in)
{
	struct array *m = array_in(b->arena, e, 2, (const int64_t[]){ t->n, in });

	for (int64_t j = 0; j < t->n; j++)
		for (int64_t k = 0; k < t->width && !t->outside[j]; k++) {
			int64_t at = j * in + t->index[j * t->width + k];

			element_store(e, m->data, at,
				      element_load(e, m->data, at) + t->weight[j * t->width + k]);
		}
	return build_const(b, m);
}

/* G x M along AXIS. */
static int product_along(struct builder *b, int g, int axis, int m)
{
	struct attr_vec swap = { 0 };
	int64_t perm[GRAPH_MAX_RANK];
	int rank = build_type(b, g)->rank;

	for (int i = 0; i < rank; i++)
		perm[i] = i == axis ? rank - 1 : i == rank - 1 ? axis : i;
	attrs_ints(b->arena, &swap, "perm", rank, perm);
	g = build(b, &core_matmul, build_with(b, &core_transpose, &swap, g), m);
	return build_with(b, &core_transpose, &swap, g);
}

/* A matrix of more weights than this is not worth its product. */
#define MAX_WEIGHTS 0x1p24

static int resize_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	const struct type *from = build_type(b, x->call->args[RESIZE_X]);
	const struct array *of[RESIZE_OPERANDS];
	struct resize r;
	struct resize_axis axes[GRAPH_MAX_RANK];
	int64_t dim[GRAPH_MAX_RANK];
	int g = x->of_result[0];

	for (int i = 0; i < RESIZE_OPERANDS; i++)
		of[i] = build_array(b, call_arg(x->call, i));
	resize_of(x->call, &r);
	if (!type_shape(from, dim) || resize_axes(x->call, from->rank, dim, of, axes))
		return err_set("resize: its gradient needs constant extents");
	for (int i = 0; i < from->rank; i++) {
		struct taps t;

		if (resize_keeps(&axes[i]))
			continue;
		if ((double)axes[i].in * (double)axes[i].out > MAX_WEIGHTS ||
		    !resize_taps(b->arena, &r, &axes[i], &t))
			return err_set("resize: its gradient along an axis of %lld is not computed",
				       (long long)axes[i].in);
		g = product_along(b, g, i, weights(b, from->element, &t, axes[i].in));
	}
	x->of_arg[RESIZE_X] = g;
	return 0;
}

const struct core_op core_resize = {
	.name = "resize",
	.summary = "x resized by scales or to sizes, as ONNX's Resize does; roi: the part of it that is "
		   "seen, all begins, then all ends",
	.min_args = 1,
	.max_args = RESIZE_OPERANDS,
	.attrs = (const struct attr_spec[]){
		{ "mode", ATTR_STRING, 0, "nearest", "nearest, linear, cubic" },
		{ "coordinates", ATTR_STRING, 0, "half_pixel",
		  "half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, "
		  "tf_half_pixel_for_nn, tf_crop_and_resize" },
		{ "nearest", ATTR_STRING, 0, "round_prefer_floor",
		  "round_prefer_floor, round_prefer_ceil, floor, ceil" },
		{ "cubic_a", ATTR_FLOAT, -0.75, NULL, "of cubic weights" },
		{ "exclude_outside", ATTR_INT, 0, NULL, "1: elements beyond the edge have no weight" },
		{ "extrapolation", ATTR_FLOAT, 0, NULL, "what lies beyond the edge of tf_crop_and_resize" },
		{ "antialias", ATTR_INT, 0, NULL, "1: wider filters where an axis shrinks" },
		{ "axes", ATTR_INTS, 0, NULL, "that roi, scales and sizes are for; none: all" },
		{ "keep_aspect", ATTR_STRING, 0, "stretch", "stretch, not_larger, not_smaller than sizes" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.type = resize_type,
	.eval = resize_eval,
	.express = resize_express,
	.gradient = resize_gradient,
};
