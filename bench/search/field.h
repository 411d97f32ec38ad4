/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/field.h - strategies compared by campaigns on this machine.
 *
 * In:   tasks, strategies of which the first is random search, the trials of each, seeds.
 * Out:  for each task the last best of each campaign, all of them timed again in one sitting.
 * Holds: every campaign has a database of its own, so none learns of another; one that was stopped
 *        goes on where it was when the same folder is given. */
#ifndef HONE_BENCH_SEARCH_FIELD_H
#define HONE_BENCH_SEARCH_FIELD_H

#include <signal.h>

#include "measure/device/device.h"
#include "search/measurers/measurer.h"
#include "search/strategies/strategy.h"

enum { FIELD_MAX_STRATEGIES = 8, FIELD_MAX_SEEDS = 32 };

struct field_plan {
	const struct strategy *strategy[FIELD_MAX_STRATEGIES];	/* [0] is the one to beat */
	int trials[FIELD_MAX_STRATEGIES];	/* of a campaign of each */
	int n;
	int seeds;		/* of a strategy on a task */
	int threads;
	const char *cc;		/* NULL: the builder's own choice */
	const char *folder;	/* of the databases */
	const struct device *device;
	const volatile sig_atomic_t *stop;
	struct listener listener;
	void (*progress)(const struct task *t, const struct strategy *s, int seed);
};

/* How often the first strategy's time is that of another; more than 1: the other is faster. */
struct field_ratio {
	double middle;		/* of geometric means over the seeds; 0: one has no kernel */
	double low, high;	/* of single pairs of seeds the least and the greatest */
};

struct field_task {
	const struct task *task;
	const char *role;	/* bench/search/role.h; the caller's */
	double us[FIELD_MAX_STRATEGIES][FIELD_MAX_SEEDS];	/* 0: no kernel */
	struct field_ratio ratio[FIELD_MAX_STRATEGIES];
};

/* Runs all campaigns of T, then the sitting; A is for what OUT names. 0; 1 where `stop` was set
 * before it was through; -1 and a message where the outside world fails. */
int field_play(struct arena *a, const struct field_plan *plan, const struct task *t,
	       struct field_task *out);

/* Sets the ratios of OUT from its times. */
void field_rank(const struct field_plan *plan, struct field_task *out);

/* Over N tasks, of those where both have a kernel: how many there are, the geometric mean of the
 * ratios, and its interval. */
struct field_total {
	int tasks;
	double mean;		/* 0: no task */
	double low, high;	/* 95% of the means of tasks and seeds drawn again */
	int faster, slower;	/* tasks where all pairs of seeds say so */
};

/* Of strategy S. */
struct field_total field_sum(const struct field_plan *plan, const struct field_task *t, int n,
			     int s);

#endif
