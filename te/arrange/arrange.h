/* SPDX-License-Identifier: Apache-2.0 */
/* te/arrange/arrange.h - a DAG whose tensors are stored in another order of dims.
 *
 * In:   a frozen DAG, and how each of its inputs and outputs is stored.
 * Out:  a DAG of ordinary ops over the stored dims, with the same arguments in the same order.
 * Holds: on stored inputs it gives the stored outputs, but for the order of reductions. */
#ifndef HONE_TE_ARRANGE_ARRANGE_H
#define HONE_TE_ARRANGE_ARRANGE_H

#include "base/text.h"
#include "te/dag.h"

/* A stored dim: all of DIM (block 0), the place within a block of DIM (block > 0), or, where another
 * stored dim is that place, the number of the block (block 0). */
struct stored_dim {
	int dim;
	int64_t block;		/* elements */
};

/* The stored dims of a tensor, outermost first. n = 0: as it is.
 *	nchw as nhwc		{0}, {2}, {3}, {1}
 *	nchw as nchw16c		{0}, {1}, {2}, {3}, {1, 16} */
struct arrangement {
	int n;
	struct stored_dim at[TENSOR_MAX_DIMS];
};

/* In text: no vector or tile is as long. */
enum { ARRANGEMENT_MAX_BLOCK = 4096 };

/* {0}, {1}, {0, 4} is 0,1,0%4. Scanning fails with -1 and a message. */
void arrangement_print(struct text *t, const struct arrangement *how);
int arrangement_scan(struct scan *s, struct arrangement *out);

/* Each of NDIM dims is stored once, a blocked one in two parts. */
bool arrangement_covers(const struct arrangement *how, int ndim);
/* HOW covers the dims of T, and blocks divide them. */
bool arrangement_fits(const struct arrangement *how, const struct tensor *t);
/* Of DIM, in elements; 0 where it is stored as a whole. */
int64_t arrangement_block(const struct arrangement *how, int dim);
/* The extent of stored dim I of T, whose dims HOW covers; the last block may have room left. */
int64_t arrangement_extent(const struct arrangement *how, const struct tensor *t, int i);
/* The index of stored dim I for the element of T at INDEX. */
const struct expr *arrangement_index(struct arena *a, const struct arrangement *how,
				     const struct expr *const *index, int i);

/* D (frozen) again in A, where argument I (te/eval.h) is stored as HOW[i]. Intermediates follow those
 * that read them element by element, or in windows within each block, or else what they read. Axes that run through a blocked dim are
 * split, so that indices need no division where D's need none; reduce axes that run through the last
 * stored dim of a tensor come last. Frozen; NULL and a message where HOW does not fit, there would
 * be too many axes, or an access is no longer proved to be in bounds. */
struct dag *dag_arrange(struct arena *a, const struct dag *d, const struct arrangement *how);

#endif
