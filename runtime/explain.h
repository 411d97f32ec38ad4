/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/explain.h - what a model became on its way to kernels, and why; and what a run should take.
 *
 * In:   a model's code, its tasks and the choice of a kernel for each.
 * Out:  each call of each stretch in order with its kernel and time, the memory of the stretch,
 *       and what the interpreter runs between stretches. */
#ifndef HONE_RUNTIME_EXPLAIN_H
#define HONE_RUNTIME_EXPLAIN_H

#include "runtime/code.h"
#include "runtime/offload/regions.h"

/* A step of a stretch. */
struct explained_call {
	const char *what;		/* the fused function, or "result" of a copy */
	const char *by;			/* as struct session_cost has it */
	const char *why;		/* no measured kernel does it; NULL: one does */
	const struct model_task *task;	/* NULL: a copy */
	const struct type *result;
	const char *label;		/* of the last node in it; "" */
	bool moves;			/* it computes nothing, but changes a layout or a shape */
	double time_us;			/* of the record; 0: not known */
	bool in_model;			/* as struct choice has it */
	double expected_us;		/* where no time is known, as struct choice has it; 0: neither
					 * is this */
};

struct explained_call_vec VEC(struct explained_call);

struct explained_stretch {
	const char *name;
	struct explained_call_vec calls;
	int idle;			/* applications that take no call */
	const struct memory_plan *memory;
};

/* What is no part of a stretch. */
struct explained_rest {
	const char *what;		/* operator */
	const char *why;		/* it has no kernel */
	const char *label;
};

struct explained_stretch_vec VEC(struct explained_stretch);
/* What a generator computes between stretches. */
struct explained_region {
	const char *name;
	const char *by;			/* the generator */
	int calls;			/* of the model */
	double time_us;			/* 0: not known */
	bool in_model;			/* as struct choice has it */
};

struct explained_rest_vec VEC(struct explained_rest);
struct explained_region_vec VEC(struct explained_region);

/* Some of the calls. */
struct explained_sum {
	int calls;
	double us;
};

struct explanation {
	struct explained_stretch_vec stretches;	/* in the order of their functions */
	struct explained_rest_vec rest;
	struct explained_region_vec regions;	/* explain_regions() alone adds them */
	struct explained_sum in_model, alone;	/* calls of records, by where these were timed */
	struct explained_sum expected;		/* calls of guesses: nobody measured them */
	int unknown;			/* calls of which neither is known */
	double predicted_us;		/* of all sums */
};

/* Does F, a fused function, only give elements other places? */
bool explain_moves(const struct function *f);

/* In A, of what was given to model_code_new(). */
struct explanation explain(struct arena *a, const struct model_code *code,
			   const struct model_task_vec *tasks, const struct choice *choices);
/* Adds the regions of O, the same model's, to E and to its sums; in A. */
void explain_regions(struct arena *a, const struct offloaded *o, struct explanation *e);

#endif
