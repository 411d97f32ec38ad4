/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/compare.h - two databases, task by task.
 *
 * In:   two files of records.
 * Out:  of each task that both have a kernel of, how the best of the one compares with that of the other.
 * Holds: like is compared with like: threads, cache state and, unless asked otherwise, the device. What
 *        counts is what was measured: records are not replayed, for hone may have changed between both. */
#ifndef HONE_TOOLS_RECORD_COMPARE_H
#define HONE_TOOLS_RECORD_COMPARE_H

#include "db/db.h"
#include "measure/timing/verdict.h"

struct compare_options {
	const char *path[2];
	int threads;		/* 0: any */
	bool devices;		/* also of different ones */
	double margin;		/* of the verdicts */
};

/* The best kernel of a task in a file. */
struct compare_entry {
	struct db_record record;
	const char *name;	/* of the task */
};
struct compare_entry_vec VEC(struct compare_entry);

struct compare_row {
	struct compare_entry side[2];
	struct comparison with;	/* ours is the second file's; more than 1: it is faster */
	bool calibrated;	/* in units of the fixed kernel that each was timed in turn with */
	const char *caveat;	/* what one must know of it; "" */
};
struct compare_row_vec VEC(struct compare_row);

struct compare_table {
	struct compare_row_vec rows;	/* by name */
	struct comparison mean;		/* of the rows, where there are any */
	int alone[2];			/* kernels that only this file has */
	int slower;			/* rows */
};

/* In A. -1 and a message. */
int compare_read(struct arena *a, const struct compare_options *o, struct compare_table *out);

void compare_print(const struct compare_options *o, const struct compare_table *t);
void compare_print_csv(const struct compare_table *t);
void compare_print_json(const struct compare_options *o, const struct compare_table *t);

#endif
