/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/campaign.h - what the files of a tuner share: its state, and how that is saved. */
#ifndef HONE_SEARCH_CAMPAIGN_CAMPAIGN_H
#define HONE_SEARCH_CAMPAIGN_CAMPAIGN_H

#include "search/campaign/ending.h"
#include "search/campaign/kin.h"
#include "search/campaign/round.h"
#include "search/campaign/scheduler.h"
#include "search/campaign/tuner.h"

/* What the campaign keeps of a task. */
struct tuned {
	const struct task *task;
	struct problem problem;
	int64_t task_id;
	int64_t proposed, trials, heard;	/* of this campaign: the last are measured, and learned from */
	struct refusals refusals;	/* of this run */
	const char *failure;		/* what the first trial that failed said; NULL: none did */
	enum cause done;		/* why it needs no more trials; CAUSE_NONE: it does */
};

/* A batch on its way: proposed, and not yet learned from. */
struct flight {
	struct arena *arena;	/* its own, until it is learned from */
	int task;		/* its place in `tuned` */
	struct batch batch;
	struct round round;
	struct phases spent;	/* on measuring it */
	bool saved;		/* its records are in the database, from before an interruption: */
	int64_t before;		/* the last one, by id, in front of these */
};

/* Batches that are on their way when the next one is proposed: one is measured while that is proposed and
 * built. It is the same whether anything goes on beside or not, and for every measurer, so that
 * decisions do not depend on the machine's pace. */
enum { TUNER_LAG = MEASURER_AHEAD - 1 };

struct tuner {
	struct arena *arena;	/* lives as long as the campaign */
	struct arena *scratch;	/* reset before each batch is learned from */
	struct tuner_options options;
	const struct strategy *strategy;
	const struct cost_model *cost_model;	/* NULL: the strategy asks none */
	struct db *db;
	const struct device *device;
	struct aim aim;
	struct measurer *measurer;
	struct learner *learner;	/* NULL: the strategy asks no model */
	struct tuned *tuned;
	struct scheduler scheduler;
	int n;
	struct flight flights[TUNER_LAG + 1];	/* the oldest first */
	int n_flights;
	json_t *decided;	/* as of tuner_decide(); NULL: nothing was measured yet */
	struct db_calibration now;	/* of the device, when this run began */
	int64_t device_id, toolchain_id, campaign_id;
	int64_t trials, failed, resumed;	/* that were measured */
	double search_s, learn_s;	/* of this run, as in struct phases */
	int64_t barren;		/* trials since one ran */
	bool stuck;		/* and that was told */
	bool goes_on;		/* has rounds of an interrupted run */
	int64_t trained;	/* learner_trained() of that; -1: none */
	/* The last record, by id, when it began: others teach it no more, so that its base is the
	 * same whenever it goes on. 0: there was none. */
	int64_t lessons_until;
	struct kin_vec kin;	/* all tasks that may be */
	const char *transferred;	/* what was learned from other tasks; NULL: nothing */
	struct campaign_pace pace;	/* of all runs */
	struct finals_stand finals;
	/* How long they have been held, and, in clock_s(), since when, and when that was written
	 * down last. */
	double finals_s, finals_began_s, finals_saved_s;
	double earlier_s;	/* spent before an interruption */
	int64_t began_ns;
	enum cause over;	/* what ended the campaign; CAUSE_NONE: not yet, or its tasks */
	const char *stopped_by;	/* the causes as text; NULL: it goes on */
};

/* --- tuner.c */
void tuner_report(struct tuner *t, int i, const char *phase);
/* That of task I with its sketches, which take time and room: of the tasks of a long list those have
 * them whose turn has come. */
const struct problem *tuner_problem(struct tuner *t, int i);
/* Takes over what the database has as the fastest of task I, and no more where that was measured
 * with another C text than its steps give today: then it returns 1, else 0; -1 and a message. */
int tuner_load_best(struct tuner *t, int i);

/* --- finish.c */
/* As of budget_left_s(). */
double tuner_left_s(const struct tuner *t);
/* As of budget_time_left_s(). */
double tuner_time_left_s(const struct tuner *t);
/* Of the best of task I; 0 while there is none. */
double tuner_gflops(const struct tuner *t, int i);
/* Finds out whether task I is done. */
void tuner_settle(struct tuner *t, int i);
bool tuner_stopped(const struct tuner *t);	/* by the user */
/* Are the best of its tasks measured again? */
bool tuner_confirms(const struct tuner *t);
/* Has task I, which the model needs, a best that was not measured again, although it could be? */
bool tuner_unconfirmed(const struct tuner *t, int i);
/* Whether there are no more rounds. */
bool tuner_is_over(struct tuner *t);
/* Says what ended the rounds, and keeps it for the journal. */
void tuner_tell_causes(struct tuner *t);
/* Names the tasks that have no kernel, and why. -1 and a message where the database fails. */
int tuner_tell_barren(struct tuner *t);
/* Says what the time of this run went into. */
void tuner_tell_phases(struct tuner *t);

/* --- settle.c */
/* Has the best of each task that the model needs measured again, as far as there is time. -1 and a
 * message. */
int tuner_confirm_all(struct tuner *t);

/* --- finals_call.c */
/* What finals would have before them now. */
struct finals_work tuner_finals_work(const struct tuner *t);
/* The least that they take; 0 where there are none. */
double tuner_finals_least_s(const struct tuner *t);
/* As the option `finals`; 0 where there are none. */
int tuner_hold_finals(struct tuner *t);

/* --- stuck.c */
/* Tells where batches come to nothing, the last one being B. */
void tuner_watch(struct tuner *t, const struct batch *b);

/* --- turn.c */
/* One round: the next batch of task I (none where it is -1) is proposed and submitted; the oldest that was
 * is collected, judged, saved, learned from, where TUNER_LAG others are on their way. */
int tuner_round(struct tuner *t, int i);
/* Learns from all that is on its way. */
int tuner_land(struct tuner *t);
/* Trials that were proposed and not measured. */
int64_t tuner_on_the_way(const struct tuner *t);

/* --- confirm.c */
/* Nothing can be measured of task I, and the message says why: the others go on without it. -1 where it is
 * the last. */
int tuner_leave_out(struct tuner *t, int i);
/* Where the time of tasks that reach their target is that of a trial, it is measured again: that may have
 * been luck. */
int tuner_confirm_targets(struct tuner *t);
/* Measures the fastest of task I again, a few in turn, until the fastest of all is one that was
 * confirmed with the C text of today: none is best by luck, or by what it was. 1, or 0 where it was
 * so from the beginning; -1 and a message. */
int tuner_confirm(struct tuner *t, int i);

/* --- journal.c */

/* JSON, which is given up, as the text that the database keeps: the same for the same. To be freed. */
char *tuner_text(json_t *json);
/* Keeps the search state as it is now: what is saved as long as batches are on their way, for decisions follow
 * from it. HELD is to be saved, and is not learned from yet; NULL: all is. */
void tuner_decide(struct tuner *t, const struct flight *held);
/* Saves the records of B, a batch of task I, what round R came to and what measuring it took, and the
 * search state, as one. FINAL: measured again. */
int tuner_append(struct tuner *t, int i, const struct batch *b, const struct round *r,
		 const struct phases *spent, bool final);
/* Saves the search state alone. */
int tuner_save(struct tuner *t);
/* Takes over the search state of an interrupted campaign. -1 and a message where it is damaged. */
int tuner_load(struct tuner *t, const struct db_campaign *c);
/* Brings histories and learner to where the records of the tasks leave them. */
int tuner_recall(struct tuner *t);

#endif
