/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategy.h - what proposes candidates, and learns from what became of them. */
#ifndef HONE_SEARCH_STRATEGY_H
#define HONE_SEARCH_STRATEGY_H

#include "measure/trial.h"
#include "search/task.h"

/* A complete state on its way through a round. */
struct candidate {
	struct state *state;
	const char *steps;	/* its text by numbers: its identity */
	struct trial trial;
	void *note;		/* the strategy's own */
};

struct batch {
	struct candidate *at;
	int n, cap;
	int refused;		/* samples that did not fit together or could not be lowered */
};

/* A set of step lists that have been tried, by hash. */
struct seen;
struct seen *seen_new(struct arena *a);
/* True where STEPS is new; it is not from then on. */
bool seen_add(struct seen *s, const char *steps);

/* What a strategy keeps of a task. */
struct explorer;

struct strategy {
	const char *name;
	const char *summary;
	/* Begins a task whose sketches are K; in A, for as long as the task is tuned. What is in
	 * SEEN has been tried in an earlier run; what is proposed is added. */
	struct explorer *(*begin)(struct arena *a, const struct task *task,
				  const struct sketch_vec *k, const struct target *target,
				  struct seen *seen);
	/* Fills B (up to its cap) with new candidates in A, their trials' sources set. Deterministic
	 * for the same random numbers and the same things learned. */
	void (*propose)(struct explorer *x, struct arena *a, struct rng *rng, struct batch *b);
	/* Hears what became of B. NULL where the strategy does not learn. */
	void (*learn)(struct explorer *x, const struct batch *b);
	/* Frees what is not in the arena. NULL where that is all. */
	void (*end)(struct explorer *x);
};

#define X(name) extern const struct strategy strategy_##name;
#include "search/strategies.def"
#undef X

/* By name; NULL where there is none. */
const struct strategy *strategy_find(const char *name);
/* "random, ..." for help and messages. */
const char *strategy_names(void);

#endif
