/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/finals/finals.h - the end of a campaign for a model: the best few kernels of each task compete
 * inside it, where their caches are as they will be, in as many lineups as the time suffices for.
 *
 * In:   a model, a database with confirmed records of its tasks.
 * Out:  a record of state CACHE_MODEL for each that competed, the winner of a task last, which is how
 *       task_best_in_model() knows it.
 * Holds: all of them are saved or none; what goes wrong inside the model ends neither hone nor the
 *        campaign. */
#ifndef HONE_RUNTIME_FINALS_FINALS_H
#define HONE_RUNTIME_FINALS_FINALS_H

#include <signal.h>

#include "base/tell.h"
#include "db/db.h"
#include "search/campaign/finals_call.h"

struct finals_options {
	const char *model;
	struct db *db;		/* the campaign's own */
	const struct target *target;	/* of the kernels; NULL: the machine's own */
	int threads;
	bool exact;		/* of kernels that derive no other algorithm */
	const char *cpus;	/* as runner_options has it */
	const volatile sig_atomic_t *stop;	/* 1: give up; may be NULL */
	struct listener listener;
};

/* Finals as CALL asks for them, no longer than FINALS_MOST_S. 0, also where there were none, which the
 * listener hears with the reason; 1 where they were stopped; -1 and a message where the database fails. */
int finals_hold(const struct finals_options *o, const struct finals_call *call);

#endif
