/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/reorder.h - copies of a tensor between the DAG's memory and a library's own
 * layout, fast enough to stand in the clock: in tiles, divided among threads.
 *
 * In:   two views of the same dimensions, which the memory of each side lies in.
 * Holds: every element of the view is copied once; what else the target has, its padding, is left
 *        alone. */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_REORDER_H
#define HONE_BENCH_CONTEST_LIBRARIES_REORDER_H

#include "bench/work/view.h"

enum { REORDER_MAX_LOOPS = TENSOR_MAX_DIMS * 2 };

struct reorder_loop {
	int64_t extent;
	int64_t from, to;	/* elements from one turn to the next */
};

struct reorder {
	struct reorder_loop loop[REORDER_MAX_LOOPS];	/* the last two are tiled */
	int n;			/* at least 2 */
	int64_t tiles;		/* of all loops */
};

/* A view without a tensor, of DIM's own strides: how a library's layout is described. */
void view_add_strided(struct view *v, int64_t extent, int64_t stride);
/* Cuts the last dimension, as channels are into blocks: EXTENT inner elements STRIDE apart. */
void view_add_inner(struct view *v, int64_t extent, int64_t stride);

/* False where the parts of a dimension do not divide one another. */
bool reorder_plan(struct reorder *r, const struct view *from, const struct view *to);
/* Both sides have their elements in the same order. */
bool reorder_is_copy(const struct reorder *r);
/* The PARTth of PARTS shares; all of them together are the copy. */
void reorder_run(const struct reorder *r, const float *from, float *to, int part, int parts);

#endif
