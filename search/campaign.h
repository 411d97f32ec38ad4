/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign.h - what the files of a tuner share: its state, and how that is saved. */
#ifndef HONE_SEARCH_CAMPAIGN_H
#define HONE_SEARCH_CAMPAIGN_H

#include "search/round.h"
#include "search/scheduler.h"
#include "search/tuner.h"

/* What the campaign keeps of a task. */
struct tuned {
	const struct task *task;
	struct problem problem;
	int64_t task_id;
	int64_t trials;			/* of this campaign */
	bool unconfirmed;		/* has records that no confirmation has seen */
};

struct tuner {
	struct arena *arena;	/* lives as long as the campaign */
	struct arena *scratch;	/* reset before each round */
	struct tuner_options options;
	const struct strategy *strategy;
	struct db *db;
	const struct device *device;
	struct target target;
	struct measurer *measurer;
	struct learner *learner;	/* NULL: the strategy asks no model */
	struct tuned *tuned;
	struct scheduler scheduler;
	int n;
	int current;		/* the task that the measurer is set up for; -1: none */
	int64_t device_id, toolchain_id, campaign_id;
	int64_t trials, failed, resumed;
	int64_t trained;	/* learner_trained() of an interrupted run; -1: none */
	double earlier_s;	/* spent before an interruption */
	int64_t began_ns;
};

/* --- tuner.c */
/* The part of the budget that has been spent, of trials or of time, whichever is more. */
double tuner_spent(const struct tuner *t);
void tuner_report(struct tuner *t, int i, const char *phase);
/* What the database has as the best of task I. */
void tuner_load_best(struct tuner *t, int i);

/* --- turn.c */
/* One batch of task I: proposed, measured, learned from, saved. */
int tuner_round(struct tuner *t, int i);
/* Measures the best few of task I again, in turn, so that none is best by luck. */
int tuner_confirm(struct tuner *t, int i);

/* --- journal.c */
/* Seconds of the campaign so far, those before an interruption included. */
double tuner_elapsed(const struct tuner *t);
/* Saves the records of B, a batch of task I, what round R came to, and the search state after it,
 * as one. FINAL: measured again. */
int tuner_append(struct tuner *t, int i, const struct batch *b, const struct round *r, bool final);
/* Takes over the search state of an interrupted campaign. -1 and a message where it is damaged. */
int tuner_load(struct tuner *t, const struct db_campaign *c);
/* Brings histories and learner to where the records of the tasks leave them. */
int tuner_recall(struct tuner *t);

#endif
