/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/finals.h - the end of a campaign for a model: the best few kernels of each task compete
 * inside it, where their caches are as they will be.
 *
 * In:   a model, a database with confirmed records of its tasks.
 * Out:  a record of state CACHE_MODEL for each that competed, the winner of a task last, which is how
 *       task_best_in_model() knows it.
 * Holds: all of them are saved or none; what goes wrong inside the model ends neither hone nor the
 *        campaign. */
#ifndef HONE_RUNTIME_FINALS_H
#define HONE_RUNTIME_FINALS_H

#include <signal.h>

#include "base/tell.h"
#include "db/db.h"

/* What is kept of a budget of time for finals: of an hour 5 minutes do for every network that was
 * tried, compilation included. */
#define FINALS_SHARE 0.1
#define FINALS_MOST_S 300.0

struct finals_options {
	const char *model;
	struct db *db;
	int64_t campaign;	/* the database's own, which gets the records; 0: none */
	int threads;
	const char *cpus;	/* as runner_options has it */
	double seconds;		/* that they may take */
	const volatile sig_atomic_t *stop;	/* 1: give up; may be NULL */
	struct listener listener;
};

/* 0, also where there were none, of which the listener is warned; 1 where they were stopped; -1 and a
 * message where the database fails. */
int finals_hold(const struct finals_options *o);

#endif
