/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/tuner.h - a campaign: tasks, a budget, rounds of measured candidates, a database.
 *
 * In:   tasks, options, an open database.
 * Out:  records in the database; the best few of each task measured again at the end.
 * Holds: whenever it stops, however hard, the database has every batch but the one in flight, and
 *        the next campaign for the same source goes on from there. */
#ifndef HONE_SEARCH_CAMPAIGN_TUNER_H
#define HONE_SEARCH_CAMPAIGN_TUNER_H

#include <signal.h>

#include "base/tell.h"
#include "db/db.h"
#include "measure/device/device.h"
#include "search/campaign/budget.h"
#include "search/campaign/finals_call.h"
#include "search/measurers/measurer.h"
#include "search/campaign/scheduler.h"
#include "search/strategies/strategy.h"

enum { TUNER_BATCH = 16 };

/* Where a campaign stands. */
struct progress {
	const struct task *task;	/* of the last round */
	int tasks, task_number;
	int64_t trials, budget;		/* done, and in all (0: open) */
	int64_t failed;
	double best_us;			/* of the task; 0 while there is none */
	double gflops, peak_share;	/* of that best */
	bool estimate;			/* it may be a guess: nothing is measured */
	double seconds, seconds_left;	/* left is < 0 where not known */
	double rate;			/* trials a second */
	const char *phase;		/* "tune", "confirm" */
};

struct tuner_options {
	const char *source;	/* what the user named; identifies the campaign */
	const char *name, *note;	/* of the campaign; NULL: as it has them */
	const char *strategy;	/* NULL: "evolve" */
	const struct strategy *own_strategy;	/* one that is not in the table; NULL: by name */
	const struct cost_model *cost_model;	/* that ranks candidates; NULL: the strategy's, of a simulated device the prior */
	struct measurer *measurer;	/* the tuner's from then on; NULL: this machine */
	struct kept_workloads *kept;	/* what this machine's measurers have computed for tasks, of campaigns one behind the other; NULL: its own */
	const char *cc;		/* NULL: the builder's own choice */
	const char *cpus;	/* to measure on; NULL: the runner's own choice */
	int threads;		/* of the kernels; at least 1 */
	struct budget budget;
	int64_t began_ns;	/* in clock_ns(), when work on it began; 0: with tuner_new() */
	int batch;		/* candidates a round; 0: what suits the measurer */
	double limit_s;		/* for one kernel; 0: the runner's own choice */
	uint64_t seed;
	enum cache_state cache;
	bool fresh;		/* do not go on with an earlier campaign */
	bool *held;		/* set where another process is at work on the campaign; may be
				 * NULL */
	bool exact;		/* sums as written: no derivations of other algorithms */
	bool no_transfer;	/* learn nothing from campaigns of other tasks */
	bool scouts;		/* is for what another campaign begins with: no best of it is measured again */
	const volatile sig_atomic_t *stop;	/* 1: after this round; may be NULL */
	/* Of all that happens: TELL_PROGRESS, a struct progress, after each batch; TELL_STUCK when no trial
	 * succeeds any more, or others do not leave the device; TELL_DUMP what `debug` asks for; and
	 * lines. */
	struct listener listener;
	/* The last act of a campaign that was not stopped, for which time is kept: 0, 1 where it was
	 * stopped, -1 and a message. NULL: there are none. */
	int (*finals)(void *user, const struct finals_call *call);
	struct weigher weigher;	/* of the tasks; all NULL: their own weights */
	const char *debug;	/* stages to tell of each candidate (search/campaign/debug.h); NULL: none */
	void *user;		/* of `finals` */
};

struct tuner;

/* Everything is ready when it returns: compiler, runner, campaign. NULL and a message otherwise. */
struct tuner *tuner_new(struct db *db, const struct device *device, const struct task_vec *tasks,
			const struct tuner_options *o);
/* Rounds until the budget is spent or `stop` is set. 0 when done, 1 when stopped early, -1 and a
 * message where the outside world failed. */
int tuner_run(struct tuner *t);
void tuner_free(struct tuner *t);
/* All of that for T alone, as tuner_run(). */
int tuner_run_task(struct db *db, const struct device *device, const struct task *t, const struct tuner_options *o);

/* What is wanted of the database by this tuner: device, toolchain, threads, cache. */
struct db_want tuner_want(const struct tuner *t, const struct task *task);
int64_t tuner_trials(const struct tuner *t);	/* so far, those before an interruption included */
double tuner_elapsed(const struct tuner *t);	/* seconds of work, likewise */
const char *tuner_stopped_by(const struct tuner *t);	/* after tuner_run; NULL where it failed */
int tuner_barren(const struct tuner *t);	/* tasks that have no kernel yet */
/* The best of each task so far, as JSON, in A. */
const char *tuner_summary(const struct tuner *t, struct arena *a);
int64_t tuner_resumed(const struct tuner *t);	/* trials found from an interrupted run */
/* What the model learned before the first trial, for people; NULL: nothing. */
const char *tuner_transferred(const struct tuner *t);

#endif
