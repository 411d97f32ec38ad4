/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/side.h - one side of a comparison: records of a file, all or some, and the best of each task in them.
 *
 * In:   FILE or FILE#KEY=VALUE,KEY=VALUE.
 * Out:  of each task, number of threads, cache state and device the record that is surest to be the best.
 * Holds: of some of the records, only these are looked at: a kernel that another campaign has measured again
 *        since is still what this campaign found. What was measured here, what a log from elsewhere says and what
 *        a stand-in guessed are never mixed: a side has one of the first two, and names what it leaves out. */
#ifndef HONE_TOOLS_COMPARE_SIDE_H
#define HONE_TOOLS_COMPARE_SIDE_H

#include "db/db.h"

struct compare_side {
	const char *name;	/* as it was given */
	const char *path;
	const char *campaign;	/* as db/label.h takes it; NULL: any, as for the next three */
	const char *device;	/* the beginning of a fingerprint */
	const char *toolchain;	/* a part of its text */
	const char *hone;	/* as version_matches() has it */
	bool imported;		/* what logs from elsewhere say, instead of what was measured here */
	int threads;		/* 0: any */
};

/* The best kernel of a task on a side. */
struct side_kernel {
	struct db_record record;
	const char *name;	/* of the task */
	const char *text;	/* its DAG in .te form; "": it is none */
};
struct side_kernel_vec VEC(struct side_kernel);

/* How often a model that a campaign tuned runs a task. */
struct side_weight {
	const char *source;	/* the model, as the campaign names it */
	const char *task_key;
	double weight;		/* above 0 */
};
struct side_weight_vec VEC(struct side_weight);

struct side_found {
	struct side_kernel_vec kernels;		/* in no order */
	struct side_kernel_vec withheld;	/* of tasks without any of these: imported, or estimates */
	struct side_weight_vec weights;		/* of each model as its newest campaign has it; by model */
};

/* What TEXT says, in A. -1 and a message. */
int side_parse(struct arena *a, const char *text, struct compare_side *out);
/* The number of the campaign that S, which names one, means in DB. 1; 0 and *OUT = 0 where it names none; -1 and a
 * message. */
int side_campaign(struct arena *a, struct db *db, const struct compare_side *s, int64_t *out);
/* Whether R is a record of S, imported or not. CAMPAIGN is that of side_campaign(). */
bool side_has(const struct compare_side *s, int64_t campaign, const struct db_record *r);
/* In A. -1 and a message. */
int side_read(struct arena *a, const struct compare_side *s, struct side_found *out);
/* The weights in the campaigns of S; in A, -1 and a message. */
int side_read_weights(struct arena *a, struct db *db, const struct compare_side *s, int64_t campaign,
		      struct side_weight_vec *out);

/* Of one task, number of threads and cache state, and of one device unless ANY_DEVICE. */
bool record_is_alike(const struct db_record *x, const struct db_record *y, bool any_device);

#endif
