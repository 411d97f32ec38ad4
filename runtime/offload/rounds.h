/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/rounds.h - several ways to run one model, in turns.
 *
 * In:   a session of each, watched.
 * Out:  by round what a run takes of each, and for what, and what its kernels do.
 * Holds: only figures of one round are comparable; rounds in which somebody else had the machine are left out
 *        of all. */
#ifndef HONE_RUNTIME_OFFLOAD_ROUNDS_H
#define HONE_RUNTIME_OFFLOAD_ROUNDS_H

#include "graph/task/uses.h"
#include "runtime/offload/spent.h"
#include "runtime/open.h"

struct figure_series VEC(double);
struct run_spent_vec VEC(struct run_spent);

/* What rounds have told of one plan. */
struct plan_series {
	const struct opened *model;
	struct session *session;
	const struct task_uses *uses;
	struct figure_series runs;	/* us, one of each round: as measured, and as told (struct run_spent) */
	double clock_us;		/* what the last run took on the clock alone */
	struct spending *spending;
	struct run_spent_vec spent;	/* of each round the usual run */
	struct figure_series *tasks;	/* us of a kernel, by task; as many, or none where it did not run */
};

struct rounds {
	struct arena *arena;
	const struct value *inputs;
	int least;		/* rounds that are played and counted, whatever time they take */
};

/* M has its code, which SESSION is of. */
struct plan_series plan_series_new(struct arena *a, const struct opened *m, struct session *session);
/* Rounds for a verdict, whose interval needs as many, and those that only tell what kernels take. */
enum { ROUNDS_OF_VERDICT = 8, ROUNDS_OF_TIMES = 4 };

/* The N plans X for SECONDS, longer where the machine is not quiet. -1 and a message. */
int rounds_play(const struct rounds *r, struct plan_series *x, int n, double seconds);
/* A is for the time of the call. */
double series_median(struct arena *a, const struct figure_series *x);

#endif
