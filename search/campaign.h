/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign.h - what the files of a tuner share: its state, and how that is saved. */
#ifndef HONE_SEARCH_CAMPAIGN_H
#define HONE_SEARCH_CAMPAIGN_H

#include "measure/builder.h"
#include "measure/runner.h"
#include "search/scheduler.h"
#include "search/tuner.h"

/* What the campaign keeps of a task while it is being tuned. */
struct tuned {
	struct task *task;
	struct explorer *explorer;	/* NULL before its first round */
	struct sketch_vec sketches;
	int64_t task_id;
	int64_t trials;			/* of this campaign */
	bool unconfirmed;		/* has records that no confirmation has seen */
};

struct tuner {
	struct arena *arena;	/* lives as long as the campaign */
	struct arena *round;	/* reset before each round */
	struct tuner_options options;
	const struct strategy *strategy;
	struct db *db;
	const struct device *device;
	struct target target;
	struct builder *builder;
	struct runner *runner;
	struct tuned *tuned;
	struct scheduled *scheduled;
	int n;
	int current;		/* the task that the runner is set up for; -1: none */
	int64_t device_id, toolchain_id, campaign_id;
	int64_t trials, failed, resumed;
	double earlier_s;	/* spent before an interruption */
	int64_t began_ns;
};

/* Seconds of the campaign so far, those before an interruption included. */
double tuner_elapsed(const struct tuner *t);
/* Saves the records of B and the search state after it, as one. FINAL: measured again. */
int tuner_append(struct tuner *t, const struct tuned *u, const struct batch *b, bool final);
/* Takes over the search state of an interrupted campaign. -1 and a message where it is damaged. */
int tuner_load(struct tuner *t, const struct db_campaign *c);

#endif
