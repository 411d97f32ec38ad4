/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/plan.h - one block of memory for buffers that live at different times.
 *
 * In:    buffers with their bytes and the steps in which they are alive.
 * Out:   an offset for each in one block of memory, the size of the block, and a bound below which no
 *        plan can be.
 * Holds: two buffers that are alive in the same step share no byte, but for what may be shared: a
 *        part is inside of its whole, and who took another's bytes over meets it in one step.
 *
 * Several greedy orders are tried first, then a search for the order in which the blocks would be
 * stacked, which ends with a proof or when its time is over. Without that end the result depends on
 * the buffers alone. */
#ifndef HONE_RUNTIME_PLAN_PLAN_H
#define HONE_RUNTIME_PLAN_PLAN_H

#include "base/vec.h"

/* Offsets are multiples of it: what a kernel wants of its arguments (codegen/callable.h). */
enum { PLAN_ALIGN = 64 };

struct plan_buffer {
	size_t bytes;
	int first, last;	/* steps in which it is alive, both included; 0 <= first <= last */
	/* The buffer whose bytes it may take over, or -1: one of as many bytes whose last step is
	 * this one's first. Whether it does is the plan's choice. Left aside where that is not
	 * safe: the other begins in that step too, is a part or is outlived by a part of its own;
	 * this one has parts, or what it is part of is not later than it; or another has asked. */
	int in_place;
	/* The buffer that this one is a part of, from byte OFFSET on, or -1. The part stays as long
	 * as the whole does. Parts of one buffer share no byte. */
	int part_of;
	size_t offset;		/* a multiple of PLAN_ALIGN */
};

struct plan_buffer_vec VEC(struct plan_buffer);

struct memory_plan {
	size_t *offset;		/* by buffer; multiples of PLAN_ALIGN */
	size_t bytes;		/* of the block */
	size_t bound;		/* the most that is alive in a step, at the least */
	bool optimal;		/* no plan is smaller: the bound is met or the search came to its end */
	const char *order;	/* what found it */
	double seconds;		/* that it took */
};

/* Plans N buffers, in A; the search beyond the greedy orders ends after SECONDS. 0, or -1 and a
 * message where the bytes of all are more than a size can say. */
int plan_memory(struct arena *a, const struct plan_buffer *buffers, int n, double seconds,
		struct memory_plan *out);

#endif
