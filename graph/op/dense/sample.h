/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/sample.h - an image read between its elements. */
#ifndef HONE_GRAPH_OP_DENSE_SAMPLE_H
#define HONE_GRAPH_OP_DENSE_SAMPLE_H

#include "graph/op/dense/slide.h"

enum interpolation { INTERPOLATE_NEAREST, INTERPOLATE_LINEAR, INTERPOLATE_CUBIC };
enum outside { OUTSIDE_ZEROS, OUTSIDE_CLAMP, OUTSIDE_REFLECT };

struct sampling {
	int nd;
	int64_t dim[SLIDE_MAX];
	enum interpolation interpolation;
	enum outside outside;
	/* Where the image is reflected: low[i] and high[i] along dim i. */
	double low[SLIDE_MAX], high[SLIDE_MAX];
};

enum { SAMPLE_TAPS = 4 };

/* A point of an image: what it is made of, the same for all channels. */
struct sample_point {
	int taps;	/* along each dim */
	int64_t at[SLIDE_MAX][SAMPLE_TAPS];	/* index along the dim; -1: a zero */
	double weight[SLIDE_MAX][SAMPLE_TAPS];
};

/* The point at coordinates X, in elements; they may be any doubles. */
void sample_at(const struct sampling *s, const double *x, struct sample_point *out);
/* Its value in the PLANE of elements E, f32 or f64. */
double sample_read(const struct sampling *s, const struct sample_point *p, enum element e,
		   const void *plane);

#endif
