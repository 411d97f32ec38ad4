/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/search.h - strategies compared: the same tasks of a recording, several seeds each.
 *
 * In:   a recording, strategies, how many trials and seeds.
 * Out:  what was best after each trial of each run, and what can be said of that.
 * Holds: the same plan gives the same figures, on any machine. */
#ifndef HONE_BENCH_SEARCH_SEARCH_H
#define HONE_BENCH_SEARCH_SEARCH_H

#include "bench/search/contest.h"
#include "search/measurers/replay.h"

enum { SEARCH_MAX_STRATEGIES = 16, SEARCH_MAX_SEEDS = 1000 };

struct search_plan {
	const struct recording *recording;
	const struct cost_model *stand_in;	/* beyond the recording */
	const struct strategy *strategy[SEARCH_MAX_STRATEGIES];
	int own_trials[SEARCH_MAX_STRATEGIES];	/* of a campaign of each; 0: as all others */
	int n;
	int trials;		/* of a run */
	int baseline;		/* trials of random search, which the others are to catch up with */
	int seeds, batch;
	void (*progress)(const struct task *t, const struct strategy *s, int seed);
};

/* All runs of a strategy on a task. */
struct search_runs {
	const struct strategy *strategy;
	int trials;		/* of each; random search has those of the baseline */
	int n;			/* one for each seed */
	struct contest_result *run;
	int at_floor;		/* of them, whose best is as fast as the stand-in answers at all */
	double guessed;		/* share of the trials that the stand-in answered */
};

struct search_task {
	const struct task *task;
	const char *role;	/* bench/search/role.h; the caller's */
	struct replay_answers from;	/* what answered */
	struct search_runs *runs;	/* by strategy, in the order of the plan */
	double best_us;		/* of all runs, the baseline's included */
	double baseline_us;	/* the baseline's best, the median over its seeds */
};

/* Plays all runs of T, in A. M is a replay of the recording. -1 and a message where the recording does not suffice. */
int search_compare(struct arena *a, const struct search_plan *plan, const struct task *t,
		   struct measurer *m, struct search_task *out);

/* Over the seeds; infinite where a run has none. */
struct spread {
	double low, median, high;	/* quartiles */
};

/* The best time, in microseconds, after TRIALS (from 1). */
struct spread search_best(const struct search_runs *r, int trials);
/* The trials that it took to be as fast as US. */
struct spread search_reach(const struct search_runs *r, double us);

/* How many runs end at LEAST_US, as fast as a stand-in answers at all. */
int search_at_floor(const struct search_runs *r, double least_us);

/* How well the model ordered a batch that it had not seen, as struct round has it. */
struct quality {
	int n;			/* batches that the means are over; 0: there was no model */
	double recall, rank, accuracy;
};

/* Of round I, over the seeds of N tasks; S is a strategy's place in the plan. */
struct quality search_quality(const struct search_task *t, int n, int s, int i);

#endif
