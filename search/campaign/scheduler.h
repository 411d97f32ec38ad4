/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/scheduler.h - which task gets the next batch, and how large that is.
 *
 * In:   the tasks of a model, and after each batch what came of it.
 * Out:  the task in which the next batch is expected to shorten the model's time, the sum of
 *       weight * best_us over the tasks, most.
 * Holds: decisions follow from the batches heard, in their order, and from nothing else: neither
 *        clock nor chance has a say, and a scheduler that was saved and loaded goes on alike. */
#ifndef HONE_SEARCH_CAMPAIGN_SCHEDULER_H
#define HONE_SEARCH_CAMPAIGN_SCHEDULER_H

#include <jansson.h>

#include "search/task.h"

/* What is known of a task. */
struct scheduled {
	const struct task *task;
	int64_t trials;		/* heard of */
	int64_t sent;		/* on their way, and not heard of; not saved */
	double best_us;		/* 0 while there is none */
	bool confirmed;		/* it was measured again */
	double runs;		/* of it in the model, as things stand */
	double weight;		/* runs that trials are spent for: also those that there may come to be; 0: none */
	double rate;		/* lately, us that an e-fold of the trials gained */
	double unheard;		/* (0, 1]: the part of the rate that is still to be guessed */
	double least_us;	/* that no kernel of it is faster than, as far as is known; 0: nothing is */
	int kin;		/* the number of those that it is kin of (search/campaign/kin.h); 0: it has none */
	double told_us;		/* what the fastest of its kin came to since it had a batch; 0: nothing */
	bool exhausted;		/* has no more candidates */
	bool done;		/* wants no more trials; not saved: that is up to each run */
};

/* What a model needs of its tasks, where that depends on what they take: storages of images, say. */
struct weigher {
	/* Sets RUNS by what each task takes now, BEST_US (0: there is no kernel yet), and WEIGHT also by
	 * what it may come down to, HOPE_US. NULL: both are the weights of the tasks. */
	void (*weigh)(void *user, const double *best_us, const double *hope_us, double *runs,
		      double *weight);
	void *user;
};

struct scheduler {
	struct scheduled *at;	/* as the tasks are ordered */
	int n;
	int current;		/* the task of the last batch that was sent; -1: none */
	double peak;		/* GFLOP/s that no kernel exceeds; 0: not known */
	struct weigher weigher;
	double *best_us, *hope_us, *runs, *weight;	/* room for it */
};

/* Nothing heard yet of TASKS. In A. */
struct scheduler scheduler_new(struct arena *a, const struct task_vec *tasks, double peak,
			       struct weigher weigher);
/* Task I is kin of all of that number, which is not 0: its batches begin with what these are fast with. */
void scheduler_relate(struct scheduler *s, int i, int kin);
/* Task I will not come below US, however many trials it gets (search/traffic.h). */
void scheduler_bound(struct scheduler *s, int i, double us);
/* Asks the weigher, after what was heard. */
void scheduler_weigh(struct scheduler *s);
/* A batch of task I is on its way: TRIALS, of which scheduler_heard() tells when they were made. */
void scheduler_sent(struct scheduler *s, int i, int trials);
/* A batch of task I: TRIALS were made, the fastest valid one took BEST_US (0: there was none). */
void scheduler_heard(struct scheduler *s, int i, int trials, double best_us);
/* The task to go on with; -1 where all that have a weight are exhausted or done. */
int scheduler_next(const struct scheduler *s);
/* The size of the next batch of task I, at most FULL. LEFT trials may still be sent, or any
 * number where it is negative. */
int scheduler_batch(const struct scheduler *s, int i, int full, int64_t left);

/* Trials that are looked ahead to tell what a task may come down to: about what one gets in a campaign. */
enum { SCHEDULER_AHEAD = 64 };
/* The part of its time that task I is expected to gain with so many more; all of it (1) as long as too little was heard of it. */
double scheduler_gain(const struct scheduler *s, int i);

/* All that was heard, by the keys of the tasks. */
json_t *scheduler_save(const struct scheduler *s);
/* Takes over what was saved; tasks that SAVED does not name stay as they are. -1 and a message
 * where it is damaged. */
int scheduler_load(struct scheduler *s, const json_t *saved);

#endif
