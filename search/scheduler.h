/* SPDX-License-Identifier: Apache-2.0 */
/* search/scheduler.h - which task gets the next batch.
 *
 * Every task has one small batch first, so that each has a kernel however soon the campaign ends.
 * Then every task has a share of the budget by what it weighs in the model; it keeps the runner
 * until its share is spent, for a change of task costs a reference run. What is left over goes to
 * the task that takes most of the model's time. */
#ifndef HONE_SEARCH_SCHEDULER_H
#define HONE_SEARCH_SCHEDULER_H

#include "search/task.h"

struct scheduled {
	const struct task *task;
	double share;		/* of the budget; all add up to 1 */
	double spent;		/* of the budget */
	double best_us;		/* 0 while there is none */
	bool exhausted;		/* has no more candidates */
};

/* Sets the shares of N tasks. */
void scheduler_begin(struct scheduled *s, int n, const struct task_vec *tasks);
/* The task to go on with; -1 where all are exhausted. */
int scheduler_next(const struct scheduled *s, int n);

#endif
