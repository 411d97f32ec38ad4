/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/strided.h - elements copied from places to places, both in even steps. */
#ifndef HONE_GRAPH_OP_MOVE_STRIDED_H
#define HONE_GRAPH_OP_MOVE_STRIDED_H

#include "graph/ir/array.h"

/* A nest of loops; each turn of loop i moves on by to[i] and from[i] elements. */
struct strided {
	int rank;
	int64_t extent[GRAPH_MAX_RANK];
	int64_t to[GRAPH_MAX_RANK], from[GRAPH_MAX_RANK];
};

/* The steps of a dense array with these extents. */
void dense_strides(int rank, const int64_t *dim, int64_t *stride);
/* TO[...] = FROM[...], elements of BYTES (1, 2, 4 or 8); the two do not overlap. */
void strided_copy(const struct strided *s, void *to, const void *from, size_t bytes);
/* All elements of Y are the one of VALUE, of the same type; zero bits (strings: "") where it is
 * NULL. */
void array_fill(struct array *y, const struct array *value);
/* The I-th element of the data of X. */
void *array_at(const struct array *x, int64_t i);

/* All places of a shape in row-major order, and where each of them is in an array with other strides:
 * begins as { rank, dim, stride }. */
struct odometer {
	int rank;
	const int64_t *dim, *stride;
	int64_t at[GRAPH_MAX_RANK];
	int64_t offset;		/* the sum of at[i] * stride[i] */
};

void odometer_next(struct odometer *o);

#endif
