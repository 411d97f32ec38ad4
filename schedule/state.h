/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/state.h - the loop structure that a step list gives a DAG.
 *
 * In:   a frozen DAG and a list of steps.
 * Out:  stages, each with its iters in loop order and its place in the program.
 * Holds: replaying the steps of a state from an empty one gives the same state. */
#ifndef HONE_SCHEDULE_STATE_H
#define HONE_SCHEDULE_STATE_H

#include "schedule/stage.h"

struct state {
	struct arena *arena;
	const struct dag *given;	/* owned by the task: what steps are replayed from */
	const struct dag *dag;	/* the same, or what steps made of it: what is scheduled */
	struct step_vec steps;	/* the truth; all else is derived from it */
	struct stage_vec stages;	/* by number */
	struct int_vec order;	/* stage numbers, producers before consumers */
	double amplification;	/* the greatest of a derivation (te/derive/winograd.h); 0: none */
};

/* An empty schedule of DAG: every stage at the root, its axes as written. */
struct state *state_new(struct arena *a, const struct dag *dag);
struct state *state_copy(struct arena *a, const struct state *s);

/* Applies one step in place. False, with the state as it was (though its stages may be new objects),
 * where the step is not legal here: a normal answer for a search, counted and never printed. WHY
 * may be NULL. */
bool state_apply(struct state *s, struct step step, const char **why);

/* Derives the values of iters, as of most steps none is asked for: before any is looked at, as lower() does. */
void state_settle(const struct state *s);

/* The stage that computes T; -1 where there is none. */
int state_stage_of(const struct state *s, const struct tensor *t);
int state_find_stage(const struct state *s, const char *name);
/* Stages that read stage I, in order; at most MAX of them. Returns how many there are. */
int state_consumers(const struct state *s, int stage, int *out, int max);
/* Is another stage computed in loop ITER of STAGE? */
bool state_has_attached(const struct state *s, int stage, int iter);
/* True where loop iter AT of TARGET encloses stage I, by however many attachments. */
bool state_encloses(const struct state *s, int target, int at, int stage);

#endif
