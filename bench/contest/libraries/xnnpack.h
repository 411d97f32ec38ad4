/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/xnnpack.h - what the files of the XNNPACK contestant share: its layout, and the
 * operators that follow a sum. */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_XNNPACK_H
#define HONE_BENCH_CONTEST_LIBRARIES_XNNPACK_H

#include <xnnpack.h>

#include "bench/contest/contestant.h"
#include "bench/contest/libraries/reorder.h"

/* The places of V in NHWC: a matrix is an image of one pixel. */
struct view xnnpack_nhwc(const struct view *v);
/* Zeros for V in that order, and what XNNPACK reads past the end. */
float *xnnpack_room(struct arena *a, const struct view *v);

enum { XNNPACK_MAX_STEPS = 8 };

/* One operator over the result, in place. */
struct xnnpack_step {
	xnn_operator_t op;
	const struct operand *operand;	/* what is added or multiplied; NULL: none */
	struct reorder reorder;		/* from the DAG's memory of it to OTHER */
	float *other;			/* in NHWC; NULL: the step has one operand */
};

struct xnnpack_chain {
	struct xnnpack_step step[XNNPACK_MAX_STEPS];
	int n;
};

/* A clamp at place *I of the epilogue, taken: the bounds stay infinite where there is none. */
void xnnpack_take_clamp(const struct epilogue_vec *steps, int *i, float *low, float *high);

/* Operators for the epilogue of W from step FIRST on, over Y. NULL, or why there are none, in A;
 * what was made so far is in C then, too. */
const char *xnnpack_chain_make(struct arena *a, struct xnnpack_chain *c, const struct work *w,
			       int first, float *y, pthreadpool_t pool);
/* 0, or -1 and a message. */
int xnnpack_chain_run(const struct xnnpack_chain *c, pthreadpool_t pool);
void xnnpack_chain_free(struct xnnpack_chain *c);

#endif
