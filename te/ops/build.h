/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/build.h - what the operator files share. */
#ifndef HONE_TE_OPS_BUILD_H
#define HONE_TE_OPS_BUILD_H

#include "base/err.h"
#include "te/ops.h"

/* Sets a message and is NULL. */
#define op_error(...) (err_set(__VA_ARGS__), (struct op *)NULL)

/* tensor[space...] = REDUCER over reduce... of BODY under a new name like BASE; NULL and a message
 * where the tensor is too large. */
struct op *build_reduce(struct dag *d, const char *base, struct axis *const *space, int nspace,
		 enum reducer reducer, struct axis *const *reduce, int nreduce,
		 const struct expr *body);
struct op *build_map(struct dag *d, const char *base, struct axis *const *space, int nspace,
		     const struct expr *body);

/* New axes that run over X, named as those that made it. */
void axes_like(struct dag *d, const struct op *x, struct axis **axes);
/* X[axes...] */
const struct expr *read_axes(struct dag *d, const struct op *x, struct axis *const *axes);
const struct expr *read_at(struct dag *d, const struct op *x, const struct expr *const *index);

const struct expr *axis_expr(struct dag *d, const struct axis *axis);
const struct expr *build_binary(struct dag *d, enum expr_kind k, const struct expr *x,
			  const struct expr *y);
/* X K V, where V takes the type of X. */
const struct expr *build_binary_const(struct dag *d, enum expr_kind k, const struct expr *x,
				      double v);
/* X && Y, or Y alone where X is NULL. */
const struct expr *build_and(struct dag *d, const struct expr *x, const struct expr *y);
/* The product of two elements: 8-bit integers are widened to i32. NULL and a message, which begins
 * with NAME, where the types do not fit. */
const struct expr *build_product(struct dag *d, const char *name, const struct expr *x,
			   const struct expr *y);

/* Where the parts of an image are among its dimensions. */
struct image {
	int spatial;
	int ndim;		/* others than those below lie behind the channel */
	int channel;		/* of the blocks where the layout is blocked */
	int inner;		/* of the channel within its block; -1 */
	int first;		/* the first spatial dimension */
	int64_t block;		/* channels of a block, 1 where not blocked */
	int64_t channels;	/* all of them */
};

/* -1 and a message where X is not SPATIAL dimensions in LAYOUT. */
int image_of(const struct op *x, int spatial, enum layout layout, struct image *im);
/* Axes of an image with CHANNELS (a multiple of the block) and the spatial EXTENTs. */
void image_axes(struct dag *d, const struct image *im, int64_t batch, int64_t channels,
		const int64_t *extent, struct axis **axes);
/* z, y, x: the name of spatial dimension I of N; "k" before it for KERNEL. */
const char *spatial_name(int n, int i, bool kernel);

/* A window over an image. */
struct window {
	int64_t out[SPATIAL_MAX];	/* its places */
	int64_t padded[SPATIAL_MAX];	/* what it reads: places, stride and kernel together */
};

/* -1 and a message where the window is unfit or larger than the padded image. */
int window_of(const struct op *x, const struct image *im, const struct conv *c,
	      const int64_t *kernel, struct window *win);
/* X with C's padding of FILL, as far as the window reads it; X itself where it reads none. */
struct op *image_pad(struct dag *d, struct op *x, const struct image *im, const struct conv *c,
	       const struct window *win, double fill);
/* place * stride + k * dilation in spatial dimension I. */
const struct expr *window_index(struct dag *d, const struct conv *c, int i,
				const struct axis *place, const struct axis *k);

#endif
