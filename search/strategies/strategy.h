/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/strategy.h - what proposes the next candidates of a task.
 *
 * In:   a problem: the task, its sketches, what was measured of it, a model that learned from that.
 * Out:  a batch of candidates that are new.
 * Holds: a strategy keeps nothing of its own. What it goes by is in the history and the learner,
 *        which a campaign rebuilds from its records, so one that was killed goes on as it would
 *        have gone on. */
#ifndef HONE_SEARCH_STRATEGIES_STRATEGY_H
#define HONE_SEARCH_STRATEGIES_STRATEGY_H

#include "search/space/genes/candidate.h"

struct strategy {
	const char *name;
	const char *summary;
	const struct cost_model *model;	/* that it asks; NULL: none */
	/* Fills B (up to its cap) with candidates in A that the history has not seen, their trials'
	 * sources set; fewer where the space is used up. Deterministic for the same problem and
	 * random numbers. */
	void (*propose)(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b);
};

#define X(name) extern const struct strategy strategy_##name;
#include "search/strategies/strategies.def"
#undef X

/* By name; NULL where there is none. */
const struct strategy *strategy_find(const char *name);
/* "random, ..." for help and messages. */
const char *strategy_names(void);

#endif
