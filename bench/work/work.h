/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/work.h - a matrix product or a convolution in the words of a library, and what is done
 * to its result: operands as views in the order that libraries use, each of its tensor's type. */
#ifndef HONE_BENCH_WORK_WORK_H
#define HONE_BENCH_WORK_WORK_H

#include "base/vec.h"
#include "bench/work/view.h"
#include "te/dag.h"

enum { WORK_MAX_SPATIAL = 3 };

struct operand {
	const struct op *op;	/* an input or constant; of the result the output */
	struct view view;
};

enum epilogue_kind {
	EPILOGUE_ADD,		/* x + operand */
	EPILOGUE_MUL,		/* x * operand */
	EPILOGUE_LINEAR,	/* x * alpha + beta */
	EPILOGUE_CLIP,		/* min(max(x, alpha), beta), either may be infinite */
	EPILOGUE_RELU,		/* x < 0 ? alpha * x : x */
	EPILOGUE_SIGMOID,
	EPILOGUE_SILU,
	EPILOGUE_GELU,		/* with erf */
	EPILOGUE_TANH,
	EPILOGUE_HARD_SWISH,
	EPILOGUE_ROUND,		/* to the nearest integer, half to even */
	EPILOGUE_CAST,		/* to the type TO; a float is truncated, so a conversion rounds before */
};

struct epilogue {
	enum epilogue_kind kind;
	double alpha, beta;
	enum dtype to;		/* of a cast */
	struct operand operand;	/* its view has the dimensions of the result's, or 1 (broadcast) */
};

struct epilogue_vec VEC(struct epilogue);

enum work_kind { WORK_MATMUL, WORK_CONV };

/* matmul: y[batch..., m, n] = sum over k of a[batch..., m, k] * b[batch..., k, n]; a batch
 * dimension of a or b may be 1 where y's is not.
 * conv: y[n, oc, spatial...] from a[n, ic, spatial...] and b[oc, ic / groups, kernel...].
 * Bytes are summed up as i32, f32 and bf16 as f32; the sum is then rounded to its type, where that is bf16. */
struct work {
	enum work_kind kind;
	struct operand a, b, y;
	enum dtype sum;		/* the type of the sum, in which the epilogue begins: f32, bf16, i32 */
	int nbatch;			/* matmul */
	int spatial;			/* conv, as all below */
	int64_t groups;
	int64_t stride[WORK_MAX_SPATIAL], dilation[WORK_MAX_SPATIAL];
	int64_t pad_begin[WORK_MAX_SPATIAL];
	int64_t pad_end[WORK_MAX_SPATIAL];	/* negative where the window leaves a rest */
	struct epilogue_vec epilogue;
};

/* The padding at the end of spatial dimension I for libraries that let windows fall away which do
 * not fit: never below 0. -1 where the DAG leaves out windows that would fit. */
int64_t work_pad_end(const struct work *w, int i);

/* Where the channels of the result are: what a bias runs over. */
int work_channel_dim(const struct work *w);

/* Is all of it f32? */
bool work_is_f32(const struct work *w);

const char *epilogue_name(enum epilogue_kind k);

#endif
