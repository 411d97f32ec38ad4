/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/transfer.h - what earlier campaigns teach a new one: the base of its cost model.
 *
 * In:   records of other tasks on this device, or of kernels with other numbers of threads, and where these are few, on related ones.
 * Out:  a learner that knows what all of them have in common.
 *       Guesses of a stand-in teach nobody.
 * Holds: the same records give the same base. Their number is bounded, and so is the time. */
#ifndef HONE_SEARCH_STRATEGIES_TRANSFER_H
#define HONE_SEARCH_STRATEGIES_TRANSFER_H

#include "db/db.h"
#include "measure/device/device.h"
#include "search/strategies/learner.h"
#include "search/task.h"

/* Where a campaign looks for it. */
struct transfer {
	struct db *db;
	const struct device *device;
	int64_t device_id;
	enum cache_state cache;
	int threads;
	int64_t until;			/* the last record that counts, by id */
	const struct cost_model *model;	/* that the learner has */
	const struct task_vec *tasks;	/* of the campaign, which recalls their records itself */
};

/* Teaches L what there is. SAID gets a line about it, in A; NULL where there was nothing. */
int transfer_learn(const struct transfer *t, struct learner *l, struct arena *a, const char **said);

#endif
