/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/stack.h - the search for an order in which blocks stacked on each other stay below a
 * limit.
 *
 * Any plan can be pushed down until each block lies on another or on the ground, and its blocks be
 * taken in the order of their offsets; so it is enough to try such orders (the canonical solutions of
 * Moffitt, "MiniMalloc", ASPLOS 2023). Where blocks have parts above their begin this is not all
 * there is, and what is found is still a plan. */
#ifndef HONE_RUNTIME_PLAN_STACK_H
#define HONE_RUNTIME_PLAN_STACK_H

#include "runtime/plan/problem.h"

enum stack_answer {
	STACK_FOUND,
	STACK_NONE,	/* no order is below the limit */
	STACK_OPEN,	/* there may be one; nodes or time are used up */
};

/* Which of the blocks that could lie at one height comes first. */
enum stack_rank {
	RANK_AREA,	/* the most bytes times sections */
	RANK_BYTES,
	RANK_LIFE,
	RANK_COUNT,
};

struct stack_effort {
	int64_t nodes;		/* of the tree */
	double deadline;	/* of clock_s() */
};

/* Offsets of B's blocks that stay within LIMIT bytes, in OFFSET where they are found. */
enum stack_answer stack_blocks(struct arena *scratch, const struct plan_blocks *b, int64_t limit,
			       enum stack_rank rank, struct stack_effort effort, int64_t *offset);

#endif
