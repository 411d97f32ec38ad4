/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/status.h - where a campaign stands, as `hone status` reads it from the database.
 *
 * Numbers that are not known are NAN, or 0 where that says so. */
#ifndef HONE_TOOLS_CAMPAIGN_STATUS_H
#define HONE_TOOLS_CAMPAIGN_STATUS_H

#include <jansson.h>

#include "base/text.h"
#include "db/db.h"
#include "search/campaign/finals_call.h"

struct status_task {
	struct db_task_stats stats;
	double weight;		/* occurrences in the model; NAN in files of an older hone */
	double gflops, peak_share;	/* NAN without a kernel, or a probed device */
};
struct status_task_vec VEC(struct status_task);

struct status {
	struct db_campaign campaign;
	int64_t now;		/* when this was read; seconds since 1970 */
	int64_t age;		/* seconds since the campaign was seen */
	bool alive;		/* a process is at work on it */
	bool full;		/* what follows was read */
	int64_t trials, failed, refused;
	double seconds;		/* that it has taken, as of its last batch */
	double left;		/* seconds to the end of the budget */
	int64_t trials_budget;	/* 0: none known, as for the next two */
	double minutes_budget;
	const char *until;	/* NULL: none known */
	const char *stopped_by;	/* NULL: not known */
	struct status_task_vec tasks;
	int missing;		/* tasks that have no kernel yet */
	double latency_us;	/* sum of weight x best of the others */
	struct db_round_vec rounds;
	struct db_sitting_vec sittings;
	double phases[PHASE_COUNT];	/* seconds in all rounds */
	struct finals_stand finals;
	bool finals_killed;	/* with the campaign, in the midst of them */
	double finals_s;	/* seconds that they took so far */
	double other;		/* seconds that neither a round nor finals account for */
	struct db_quality quality;	/* means of the last rounds that had one; samples: their sum */
	int compared;		/* how many rounds those are */
};
struct status_vec VEC(struct status);

enum {
	STATUS_ROUNDS = 10,	/* that `quality` and a report look back */
};

/* What C tells by itself. */
struct status status_brief(const struct db_campaign *c);
/* Reads the rest, in A. -1 and a message. */
int status_read(struct db *db, struct arena *a, struct status *s);
/* Of that the budget alone, and what it took so far; *STATE is the tuner's own, a new reference, or NULL for none. -1 and
 * a message. */
int status_state(struct db *db, struct arena *a, struct status *s, json_t **state);

/* A line; with the details below where S is full. */
void status_print(struct text *out, const struct status *s);
/* Parts of it: that line, and of one that is full the details but for its tasks. */
void status_print_head(struct text *out, const struct status *s);
void status_print_details(struct text *out, const struct status *s);
/* A new reference. */
json_t *status_json(const struct status *s);
/* Parts of it. */
json_t *status_phases_json(const double seconds[PHASE_COUNT]);
json_t *status_sitting_json(const struct db_sitting *s);

#endif
