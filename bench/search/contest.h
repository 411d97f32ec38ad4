/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/contest.h - a strategy at work on a task, without a database: to compare strategies. */
#ifndef HONE_BENCH_SEARCH_CONTEST_H
#define HONE_BENCH_SEARCH_CONTEST_H

#include "search/campaign/round.h"

struct contest {
	const struct strategy *strategy;
	const struct cost_model *model;	/* NULL: the strategy's own */
	const struct task *task;
	const struct aim *aim;
	struct measurer *measurer;
	int trials, batch;
	uint64_t seed;
};

/* What came of it; arrays of `trials`, in the arena given. */
struct contest_result {
	double *best_us;	/* the best of the first i + 1 trials; 0 while there is none */
	struct round *rounds;
	int n_rounds;
};

/* -1 and a message where measuring fails. A strategy whose space is used up keeps its best. */
int contest_run(struct arena *a, const struct contest *c, struct contest_result *out);

#endif
