/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/campaigns.h - the deeds of hone campaigns, one file each or two that belong together. */
#ifndef HONE_TOOLS_CAMPAIGNS_CAMPAIGNS_H
#define HONE_TOOLS_CAMPAIGNS_CAMPAIGNS_H

#include <jansson.h>

#include "db/outcome.h"
#include "tools/campaign/status.h"

struct campaigns_args {
	const char *db_path;
	struct db *db;		/* opened as the deed needs it */
	struct arena *arena;
	char **words;		/* behind the deed */
	int n;
	bool json, yes;
};

/* Each returns an exit status, or -1 and a message. */
int campaigns_list(const struct campaigns_args *args);
int campaigns_show(const struct campaigns_args *args);
int campaigns_name(const struct campaigns_args *args);
int campaigns_note(const struct campaigns_args *args);
int campaigns_delete(const struct campaigns_args *args);
int campaigns_compare(const struct campaigns_args *args);

/* --- row.c: a campaign with what it came to */

struct campaigns_row {
	struct status status;	/* its budget, and what it took so far: status_state() */
	const char *device;	/* fingerprint */
	const char *device_name;	/* "": it has none */
	int tasks;		/* that it has records of, as the next three */
	int64_t trials, failed;
	struct db_outcome_vec outcomes;
	/* Over tasks that have both, and a weight: sums of weight x first valid trial, and of weight x best. NAN without. */
	int gained;		/* such tasks */
	double first_us, best_us;
	double gain;		/* the one over the other */
	bool estimate;		/* these rest on guesses */
};
struct campaigns_row_vec VEC(struct campaigns_row);

/* Of ONE, or of all campaigns where that is NULL. -1 and a message. */
int campaigns_rows(const struct campaigns_args *args, const struct db_campaign *one, struct campaigns_row_vec *out);
/* A new reference. */
json_t *campaigns_row_json(const struct campaigns_row *r);
/* Of one deed's campaign, as it is now. An exit status, or -1 and a message. */
int campaigns_print_json(const struct campaigns_args *args, int64_t id);
/* Local time, "2026-11-26 13:25", in A. */
const char *campaigns_moment(struct arena *a, int64_t at);
/* "1.32", "~1.32" of guesses, "-" where it is not known; in A. */
const char *campaigns_gain(struct arena *a, double gain, bool estimate);

#endif
