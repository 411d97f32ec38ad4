/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/resize/resize.h - which elements a resized tensor is made of, axis by axis.
 *
 * The meaning is that of ONNX's Resize 19: graph/op/resize/taps.c has the formulas. */
#ifndef HONE_GRAPH_OP_RESIZE_RESIZE_H
#define HONE_GRAPH_OP_RESIZE_RESIZE_H

#include "graph/op/express.h"

enum resize_operand { RESIZE_X, RESIZE_ROI, RESIZE_SCALES, RESIZE_SIZES, RESIZE_OPERANDS };

enum resize_mode { RESIZE_NEAREST, RESIZE_LINEAR, RESIZE_CUBIC, RESIZE_MODES };

enum resize_coordinates {
	HALF_PIXEL,
	HALF_PIXEL_SYMMETRIC,
	PYTORCH_HALF_PIXEL,
	ALIGN_CORNERS,
	ASYMMETRIC,
	TF_HALF_PIXEL_FOR_NN,
	TF_CROP_AND_RESIZE,
	RESIZE_COORDINATES,
};

enum resize_nearest { ROUND_PREFER_FLOOR, ROUND_PREFER_CEIL, NEAREST_FLOOR, NEAREST_CEIL, NEARESTS };

/* The attributes. */
struct resize {
	enum resize_mode mode;
	enum resize_coordinates coordinates;
	enum resize_nearest nearest;
	double cubic_a, extrapolation;
	bool exclude_outside, antialias;
};

struct resize_axis {
	int64_t in, out;	/* extents */
	double scale;		/* of out to in, before out was rounded */
	double begin, end;	/* the part of it that is seen, 0 to 1 */
};

/* For each place of a resized axis so many places of the axis itself, with their weights. */
struct taps {
	int64_t n;
	int64_t width;
	int64_t *index;		/* n * width of them, all within the axis */
	double *weight;
	bool *outside;		/* n of them: it has no element, and gets the value of extrapolation */
};

/* False where an attribute has a value that there is not. */
bool resize_of(const struct binding *call, struct resize *r);
/* The axes of a tensor of extents DIM that is resized as the call's attributes and the operands OF (by
 * resize_operand; NULL or empty: left out) say. NULL, or why that cannot be. */
const char *resize_axes(const struct binding *call, int rank, const int64_t *dim,
			const struct array *const *of, struct resize_axis *axes);
/* Nothing changes along the axis. */
bool resize_keeps(const struct resize_axis *axis);
/* In A; false where there would be more than any image has. */
bool resize_taps(struct arena *a, const struct resize *r, const struct resize_axis *axis,
		 struct taps *t);
/* The resized tensor as an expression. */
struct op *resize_express(struct express *x);

#endif
