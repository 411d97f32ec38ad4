/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/best_row.h - what was found for one task: the row of `hone best`, and of all who show it.
 *
 * Holds: nothing in it depends on how fast the machine is at the moment. */
#ifndef HONE_TOOLS_RECORD_BEST_ROW_H
#define HONE_TOOLS_RECORD_BEST_ROW_H

#include <jansson.h>

#include "tools/args/query.h"

struct best_row {
	const struct task *task;
	bool found;
	struct best best;	/* what follows is all 0 or "" unless found */
	double best_us;		/* 0: none */
	bool estimate;		/* that is a guess */
	bool in_model;		/* that was taken inside a model */
	const char *caveat;	/* what one must know of it; "" */
	int threads;
	double amplification;	/* of a derived kernel; 0 */
	double gflops, peak_share;
	int64_t trials, failed;	/* of the task, found or not, as the next one */
	const char *skipped;	/* why records of the task do not count; "" */
};

/* The row of T in the arena of Q, of which source, database, device and what records are wanted count. 0,
 * or -1 and a message where the database fails. */
int best_row_read(const struct query *q, const struct task *t, struct best_row *out);
/* A new reference; all that a record tells is null without one. */
json_t *best_row_json(const struct best_row *r);

#endif
