/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops.h - the operator library: each operator as ordinary tensor expressions.
 *
 * A builder adds one or more ops to a DAG that is not frozen and returns the last of them. Where
 *the operands do not fit it returns NULL and sets a message; an operand that is NULL gives NULL, so
 * that builders chain and one check at the end is enough. Names of new ops are unique in the DAG.
 *
 * Layouts of data, here with two spatial dimensions (one and three alike):
 *	nchw	[n, c, h, w]
 *	nhwc	[n, h, w, c]
 *	blocked	[n, c/B, h, w, B]	nchw16c is B = 16; B is the last extent of the tensor
 * Layouts of weights for g groups:
 *	nchw	[oc, ic/g, kh, kw]		depthwise [c, kh, kw]
 *	nhwc	[kh, kw, ic/g, oc]		depthwise [kh, kw, c]
 *	blocked	[oc/B, ic/g/B, kh, kw, B of ic, B of oc]	depthwise [c/B, kh, kw, B] */
#ifndef HONE_TE_OPS_H
#define HONE_TE_OPS_H

#include "te/dag.h"

enum layout { LAYOUT_NCHW, LAYOUT_NHWC, LAYOUT_BLOCKED };
enum { SPATIAL_MAX = 3 };

/* A window that slides over the spatial dimensions. */
struct conv {
	int spatial;		/* 1, 2 or 3 */
	int64_t stride[SPATIAL_MAX];
	int64_t pad_begin[SPATIAL_MAX], pad_end[SPATIAL_MAX];
	int64_t dilation[SPATIAL_MAX];
	int64_t groups;
	enum layout layout;
};

struct pool {
	struct conv window;	/* groups is not used */
	int64_t kernel[SPATIAL_MAX];
	bool count_include_pad;	/* averages: divide by the whole window also at the border */
};

/* Stride and dilation 1, no padding, one group. */
struct conv conv_plain(int spatial, enum layout layout);

/* [..., m, k] x [..., k, n]; leading dimensions broadcast. 8-bit integers are summed in i32. */
struct op *op_matmul(struct dag *d, struct op *a, struct op *b);
/* The same for operands with at least one leading dimension. */
struct op *op_batch_matmul(struct dag *d, struct op *a, struct op *b);
/* The same where X is [..., k, m] if TRANS_X, and W is [..., n, k] if TRANS_W: a fully connected
 * layer. */
struct op *op_dense(struct dag *d, struct op *x, struct op *w, bool trans_x, bool trans_w);

/* Convolution. Reduces over ic, kernel, (ic of the block); nhwc over kernel, ic. */
struct op *op_conv(struct dag *d, struct op *x, struct op *w, const struct conv *conv);
struct op *op_depthwise(struct dag *d, struct op *x, struct op *w, const struct conv *conv);
/* Two spatial dimensions, nchw, no groups; w is [ic, oc, kh, kw]; OUTPUT_PAD more rows and columns
 * at the end. */
struct op *op_conv_transpose(struct dag *d, struct op *x, struct op *w, const struct conv *conv,
			     const int64_t output_pad[2]);
/* x[n, h, w, ic, P, P], w[kh, kw, ic, oc, P, P]: each pixel holds P x P poses, multiplied as
 * matrices [Ansor, OSDI'20, after Hinton et al. 2018]. */
struct op *op_capsule_conv2d(struct dag *d, struct op *x, struct op *w, int64_t stride,
			     int64_t padding);

struct op *op_max_pool(struct dag *d, struct op *x, const struct pool *pool);
struct op *op_avg_pool(struct dag *d, struct op *x, const struct pool *pool);
/* Keeps the spatial dimensions, of extent 1. */
struct op *op_global_avg_pool(struct dag *d, struct op *x, int spatial, enum layout layout);

/* Over dimension AXIS. */
struct op *op_softmax(struct dag *d, struct op *x, int axis);
struct op *op_log_softmax(struct dag *d, struct op *x, int axis);
/* Over the last dimension; SCALE and BIAS, [n] each, may be NULL. */
struct op *op_layer_norm(struct dag *d, struct op *x, struct op *scale, struct op *bias,
			 double epsilon);
/* x[b, m, n] to [b]: the square root of the sum of squares. */
struct op *op_matrix_norm(struct dag *d, struct op *x);

/* V, [c], combined with X channel by channel. Matrices are nchw: the channel is dimension 1. */
struct op *op_bias(struct dag *d, struct op *x, struct op *v, enum layout layout);
struct op *op_scale(struct dag *d, struct op *x, struct op *v, enum layout layout);
/* Elementwise, broadcasting as numpy does: extents aligned at the end, 1 fits all. */
struct op *op_add(struct dag *d, struct op *a, struct op *b);
struct op *op_mul(struct dag *d, struct op *a, struct op *b);
struct op *op_binary(struct dag *d, enum expr_kind kind, const char *name, struct op *a,
		     struct op *b);

struct op *op_clip(struct dag *d, struct op *x, double low, double high);
/* I32 as i8: over 2^SHIFT (0..30), rounded to nearest, halves up, limited to [-128, 127]. */
struct op *op_narrow(struct dag *d, struct op *x, int shift);
struct op *op_leaky_relu(struct dag *d, struct op *x, double slope);
/* op_relu, op_sigmoid, ... */
#define X(name, summary) struct op *op_##name(struct dag *d, struct op *x);
#include "te/ops/activations.def"
#undef X
/* By its name; "none" is X itself. NULL and a message where there is no such activation. */
struct op *op_activation(struct dag *d, struct op *x, const char *name);

#endif
