/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/spent.h - what the time of a model's runs went to.
 *
 * In:   a session that is watched, behind each of its runs.
 * Out:  the parts of that run, and of the usual one.
 * Holds: parts are disjoint, and sum to the run. Where a generator tells what its kernels take, that is their time,
 *        and of the run's own: as of a device that is simulated, their time on the clock is in neither. */
#ifndef HONE_RUNTIME_OFFLOAD_SPENT_H
#define HONE_RUNTIME_OFFLOAD_SPENT_H

#include "runtime/session.h"

/* All in us. */
struct run_spent {
	double run;		/* all of it */
	double host;		/* hone's kernels */
	double generators;	/* kernels and regions of generators, as measured or told */
	struct hone_cost told;	/* of generators, what they told */
	double moves;		/* what only moves elements, whoever does: transforms of layout, copies */
	double interpreter;	/* operators that have no kernel */
};

/* Launching, and all between steps. */
double run_spent_rest(const struct run_spent *x);

struct spending;

/* Of S, of CODE, which is watched; in A. */
struct spending *spending_new(struct arena *a, const struct model_code *code, const struct session *s);
/* What was spent since the last time, or since S is watched: one run, that took RUN us on the clock. */
struct run_spent spending_next(struct spending *x, double run);
/* The mean of N of AT, of those whose runs are in the middle half; sorts AT. Zeros where N is 0. */
struct run_spent run_spent_middle(struct run_spent *at, int n);

#endif
