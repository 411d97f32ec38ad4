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
	double noise;		/* of the device when it was probed: p90 / p10 of a fixed kernel's time */
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

/* Whose campaigns are looked at. */
struct status_query {
	const char *db;
	const char *source;	/* NULL: all of the file */
	bool waits;		/* a file or a campaign that is not there yet is no error */
};
/* How they stand now, oldest first, in A: those at work and the newest one are full; with a source its
 * newest alone. The file is open for the time of the call. -1 and a message. */
int status_look(const struct status_query *q, struct arena *a, struct status_vec *out);
bool status_any_alive(const struct status_vec *v);

/* A line; with the details below where S is full. */
void status_print(struct text *out, const struct status *s);
/* The table of the time by phase, with a blank line before it; nothing where it is not known. */
void status_print_phases(struct text *out, const struct status *s);
/* What the lines of S say, without indent and line end: nothing where there is nothing to say. */
enum status_line {
	STATUS_LINE_HEAD,
	STATUS_LINE_PROGRESS,
	STATUS_LINE_SITTING,
	STATUS_LINE_FINALS,
	STATUS_LINE_LATENCY,
	STATUS_LINE_MODEL,
	STATUS_LINE_COUNT
};
void status_print_line(struct text *out, const struct status *s, enum status_line line);
/* What the time of a campaign went to: the phases of its rounds, then what is outside of them. */
enum { STATUS_TIME_FINALS = PHASE_COUNT, STATUS_TIME_OTHER, STATUS_TIME_COUNT };
const char *status_time_name(int kind);
/* Seconds; NAN where not known, and of finals where there are none. */
double status_time(const struct status *s, int kind);
/* Of all kinds together. */
double status_time_sum(const struct status *s);
/* Is STATUS that of a kernel that did not build, end or compute what it should? */
bool status_is_failure(int status);
/* A new reference. */
json_t *status_json(const struct status *s);
/* Of all that a look at FILE found: what `hone status --json` prints. */
json_t *status_all_json(const char *file, const struct status_vec *v);
/* Parts of it. */
json_t *status_phases_json(const double seconds[PHASE_COUNT]);
json_t *status_sitting_json(const struct db_sitting *s);

#endif
