/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/trials.h - the trials of a task, told apart by what their steps have in common.
 *
 * In:   records, in their order; their steps are read as words, so that any text is safe.
 * Out:  for each trial its structure, which is its steps but for sizes, orders and places, and its sizes. */
#ifndef HONE_TOOLS_REPORT_TRIALS_H
#define HONE_TOOLS_REPORT_TRIALS_H

#include "db/db.h"

struct trial_structure {
	struct hash128 hash;
	const char *derivation;	/* "winograd 4", several as "winograd 4, padded 4"; "as written" */
	const char *label;	/* for people: which steps it has, how often */
};
struct trial_structure_vec VEC(struct trial_structure);

struct trial_entry {
	int64_t record;
	enum trial_status status;
	bool estimate;
	enum cache_state cache;
	int threads;
	double us;		/* 0 unless ok */
	int structure;		/* place in the table */
	const int64_t *sizes;	/* of its splits, in their order */
	int n_sizes;
};
struct trial_entry_vec VEC(struct trial_entry);

struct trial_table {
	struct trial_entry_vec trials;		/* without re-measurements */
	struct trial_structure_vec structures;
	/* by trial_table_end() */
	int64_t by_status[TRIAL_STATUS_COUNT];
	int64_t estimates;	/* answers of a stand-in that were left out, since others were measured */
};

/* Adds R, which is no re-measurement, to T. */
void trial_table_add(struct arena *a, struct trial_table *t, const struct db_record *r);
/* When all have come. */
void trial_table_end(struct trial_table *t);
/* The structure of STEPS in T; -1: no trial has it. The N sizes of its splits, in A, in any case. */
int trial_structure_find(struct arena *a, const struct trial_table *t, const char *steps,
			 const int64_t **sizes, int *n);
/* The splits of STEPS, by numbers or by names, in A: stage and loop of each, as many as a trial with these
 * steps has sizes. How many. */
int trial_splits(struct arena *a, const char *steps, const char ***out);

#endif
