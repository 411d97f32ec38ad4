/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/settle.h - who computes each kernel of a model, found by running it.
 *
 * In:   a model, its records, and offers of generators.
 * Out:  the plan by measured cost beside both trivial ones, hone alone and all that generators take, each
 *       with its times; in the databases, what all kernels took in these models.
 * Holds: a plan's time is what the host took, measured, and what generators tell of their devices (struct run_spent);
 *        plans run in turns, so that only times of one round are compared; the plan by cost is looked for
 *        again as long as it has a kernel that was not timed in a model. */
#ifndef HONE_RUNTIME_OFFLOAD_SETTLE_H
#define HONE_RUNTIME_OFFLOAD_SETTLE_H

#include "measure/timing/verdict.h"
#include "runtime/offload/spent.h"
#include "runtime/open.h"

enum { SETTLED_COST, SETTLED_HOST, SETTLED_ALL, SETTLED_PLANS };

struct settled_plan {
	struct opened model;
	struct session *session;
	double us;		/* a run, by its ratio to hone alone in the same rounds; of hone alone the median */
	/* The sum over its kernels, as they were timed before these runs, and what plans take beside them; but for
	 * hone alone at the speed that this had in these runs, for a machine is not the same from minute to
	 * minute. */
	double predicted_us;
	int unknown;		/* kernels that nobody timed: they are not in it */
	struct run_spent spent;	/* what these runs took the time for */
	bool agrees;		/* its results are those of hone alone */
	double error;		/* the largest difference, of the greatest element */
};

struct settled {
	struct settled_plan plans[SETTLED_PLANS];
	struct comparison with_host, with_all;	/* the plan by cost against them */
	int chosen;		/* the plan that the model is to run by: that by cost, unless another was faster */
	double bound;		/* that results agree within (rounding_bound()) */
	double launch_us;	/* of each kernel of a generator (offers_launch_us()) */
	const struct offers *offers;
	int looked;		/* how often the plan by cost was looked for */
};

/* For O's model, for about SECONDS beside what opening it takes; O->offload has a generator. In A. -1 and a
 * message. */
int settle(struct arena *a, const struct open_options *o, double seconds, struct settled *out);
/* The first plan whose results are not those of hone alone: nothing of these runs was kept then; -1. */
int settled_wrong(const struct settled *s);
void settled_end(struct settled *s);

#endif
