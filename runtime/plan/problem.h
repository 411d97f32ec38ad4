/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/problem.h - buffers as blocks whose place can be chosen.
 *
 * Steps are put together to sections, in each of which the same buffers are alive. A block is what
 * moves as one: a buffer with its parts and with those whose bytes are taken over. It consists of
 * rectangles of bytes and sections, none of which overlap. */
#ifndef HONE_RUNTIME_PLAN_PROBLEM_H
#define HONE_RUNTIME_PLAN_PROBLEM_H

#include <stdint.h>

#include "runtime/plan/plan.h"

struct plan_problem {
	const struct plan_buffer *buffers;
	int n;
	int nsections;
	/* By buffer, in sections, both included; a part lasts as long as its whole. */
	int *first, *last;
	int *takers;		/* the buffers that may take another's bytes over */
	int ntakers;
	int64_t bound;		/* bytes */
};

struct plan_rect {
	int64_t at, bytes;	/* from the block's begin; multiples of PLAN_ALIGN */
	int first, last;	/* sections, both included */
};

struct plan_rect_vec VEC(struct plan_rect);

/* Of block X: with OTHER at offset o, X cannot be between o + low and o + high, both excluded. */
struct plan_edge {
	int other;
	int64_t low, high;
};

struct plan_edge_vec VEC(struct plan_edge);

struct plan_block {
	struct plan_rect_vec rects;	/* none where it has no bytes */
	struct plan_edge_vec edges;	/* with each other block that is alive with it */
	int64_t bytes;			/* from the lowest to the highest */
	int first, last;
};

/* The blocks that come of a choice of takers. */
struct plan_blocks {
	const struct plan_problem *problem;
	int n;
	struct plan_block *at;
	int *block_of;		/* by buffer */
	int64_t *within;	/* by buffer: bytes from the begin of its block */
	int64_t *load;		/* by section: bytes alive */
	bool flat;		/* all rectangles lie at the begin of their blocks */
};

/* -1 and a message where the bytes of all are more than a size can say. P keeps BUFFERS. */
int plan_problem(struct arena *a, const struct plan_buffer *buffers, int n, struct plan_problem *p);
/* The blocks of P where the takers for which TAKEN, by place in p->takers, do take; without edges. */
struct plan_blocks *plan_blocks(struct arena *a, const struct plan_problem *p, const bool *taken);
/* Adds the edges. False where there are too many to keep. */
bool plan_edges(struct arena *a, struct plan_blocks *b);
/* The numbers 0 to N - 1 by falling KEY, equal ones ascending; in A. */
int *order_by_key(struct arena *a, const double *key, int n);

#endif
