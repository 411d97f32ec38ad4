/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/view.h - a dense tensor seen through other dimensions than its own: a matrix in its
 * transpose, channels that a layout cut into blocks as one dimension.
 *
 * Holds: a place of the view is a place of the tensor; the parts of a dimension are a mixed radix
 * number, the first one slowest. */
#ifndef HONE_BENCH_WORK_VIEW_H
#define HONE_BENCH_WORK_VIEW_H

#include "te/expr.h"

enum { VIEW_MAX_PARTS = 6 };

struct view_part {
	int dim;		/* of the tensor */
	int64_t extent;
	int64_t stride;		/* elements; 0 where the tensor is broadcast */
};

struct view_dim {
	int64_t extent;		/* product over its parts */
	int n;
	struct view_part part[VIEW_MAX_PARTS];
};

struct view {
	const struct tensor *tensor;
	int ndim;
	struct view_dim dim[TENSOR_MAX_DIMS];
};

/* Elements from one place of dimension DIM of T to the next. */
int64_t tensor_stride(const struct tensor *t, int dim);

/* Appends a dimension of extent 1, without parts. */
void view_add_dim(struct view *v);
/* Appends tensor dimension DIM to the parts of the view's last dimension. */
void view_add_part(struct view *v, int dim);

int64_t view_count(const struct view *v);
/* The one stride of a dimension: its parts lie behind one another. False where they do not. A
 * dimension of extent 1 has stride 0. */
bool view_dim_stride(const struct view_dim *d, int64_t *stride);

/* The place in memory, in elements, of place I of a dimension. */
int64_t view_dim_offset(const struct view_dim *d, int64_t i);

/* Copies the tensor's memory into a dense array in the order of the view. */
void view_gather(const struct view *v, const float *memory, float *dense);

#endif
