/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/interp.h - the interpreter: executes every function of a graph, without a compiler.
 *
 * It is the constant folder, the oracle of passes and kernels, and what runs whatever has no kernel.
 * Bounded in memory, time and depth by its limits. */
#ifndef HONE_GRAPH_EVAL_INTERP_H
#define HONE_GRAPH_EVAL_INTERP_H

#include "base/rng.h"
#include "graph/eval/value.h"
#include "graph/ir/ir.h"

struct interp_limits {
	int64_t bytes;		/* of one result */
	double seconds;		/* of one run */
	double loop_seconds;	/* of one loop in it; 0: as the run */
	int depth;		/* of calls */
};

/* What runs a function in the interpreter's place. */
struct interp;

struct interp_kernels {
	/* 1: it did and *RESULT is what a call gives; 0: the interpreter has to; -1 and a message.
	 * What it leaves to X runs there within X's limits. */
	int (*apply)(void *user, struct interp *x, int function, const struct value *args,
		     int nargs, struct value *result);
	void *user;
};

/* Told after each binding of the functions that are not themselves kernels; may be NULL. */
struct interp_watch {
	void (*done)(void *user, int function, const struct binding *b, double seconds);
	void *user;
};

struct interp {
	const struct graph *graph;
	struct arena *arena;	/* the results' strings live in it */
	struct arena *lasting;	/* what is found out of functions lives in it */
	struct arena *scratch;	/* of the call that is being computed */
	int computing;		/* calls, nested */
	struct interp_limits limits;
	struct interp_kernels kernels;
	struct interp_watch watch;
	struct rng rng;
	int depth;
	int places;		/* of calls, in front of the message of the one that failed */
	double until;		/* on the monotonic clock, seconds */
	double allowed;		/* so many seconds ended then: the run's or a loop's */
	int **last_use;		/* by function: of each value, the last binding that reads it */
};

/* 16 GiB, an hour, a minute a loop, 1,000 calls deep. */
extern const struct interp_limits interp_usual_limits;

/* 0; -1 and a message where the time of the run, or of a loop in it, is over. */
int interp_clock(const struct interp *x);
/* From now on so many seconds are left at most; what was left before, for interp_relax. */
struct interp_time {
	double until, allowed;
};
struct interp_time interp_hurry(struct interp *x, double seconds);
void interp_relax(struct interp *x, struct interp_time before);

/* Of G and A, which outlive it. */
struct interp interp_begin(struct arena *a, const struct graph *g, struct interp_limits limits);
void interp_end(struct interp *x);
/* The next run begins as the first did, with what was found out of the functions. */
void interp_again(struct interp *x);

/* Calls FUNCTION of ARGS, whose holders it takes over, in *RESULT. 0, or -1 and a message that names
 * the binding. */
int interp_run(struct interp *x, int function, struct value *args, int nargs,
	       struct value *result);

/* One binding of F of its arguments (BIND_CALL, APPLY, IF, LOOP, CLOSURE, TUPLE, FIELD); ARGS keep
 * their holders. */
int interp_binding(struct interp *x, const struct binding *b, const struct value *args,
		   struct value *result);

#endif
