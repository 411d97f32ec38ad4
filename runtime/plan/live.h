/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/live.h - where the values of a compiled function are while it runs.
 *
 * In:    a function that is nothing but applications of fused functions, views and constants, all
 *        of static type, and what is known of the kernels.
 * Out:   a place for each value, and how much memory that takes.
 * Holds: a value is at its place from the application that gives it to the last that reads it.
 *
 * Views are where their operands are. So are a slice that takes what lies together, and a
 * concatenation whose operands can be computed where they are to be: neither needs a call. Each
 * result is computed in the caller's memory where it is not a part of another value. */
#ifndef HONE_RUNTIME_PLAN_LIVE_H
#define HONE_RUNTIME_PLAN_LIVE_H

#include "graph/ir/ir.h"
#include "runtime/plan/plan.h"

enum live_room {
	LIVE_CONST,	/* the array that the constant is */
	LIVE_PARAM,	/* the caller's argument */
	LIVE_RESULT,	/* the caller's memory for a result */
	LIVE_MEMORY,	/* the block that was planned */
};

struct live_place {
	enum live_room room;
	int index;	/* of the constant, as a value; of the parameter; of the result */
	size_t offset;	/* a multiple of PLAN_ALIGN */
};

/* What is known of the kernel of an application. */
struct live_kernel {
	size_t workspace;	/* bytes that it needs while it runs */
	/* Bit i: the kernel reads each element of the application's argument i for that element of
	 * its result alone and before it writes that, so that both may be in one place. */
	uint64_t replaces;
};

struct live_plan {
	struct live_place *at;	/* by value */
	bool *idle;		/* by value: an application that needs no call */
	size_t *workspace;	/* by value of an application: its kernel's, in the block */
	struct memory_plan memory;
};

/* The plan of FUNCTION of G, whose kernels are by value; in A, as long as SECONDS allow
 * (plan_memory). A result whose place is not in its own room is to be copied there at the end. -1
 * and a message as plan_memory has them. */
int live_plan(struct arena *a, const struct graph *g, int function,
	      const struct live_kernel *kernels, double seconds, struct live_plan *out);

#endif
