/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/report.h - what a campaign came to, as a page or as JSON: all that other commands need of
 * this room.
 *
 * In:   an open database, and which of it is meant.
 * Out:  a page of HTML that needs nothing beside itself, or the same figures as JSON.
 * Holds: what is written depends on the database and the query alone (but for `assembly`): no clock is read
 *        and no machine asked, so the same database gives the same bytes; names and messages out of the
 *        database are text and never markup; the best of a task is that of `hone best`. */
#ifndef HONE_TOOLS_REPORT_REPORT_H
#define HONE_TOOLS_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "db/db.h"

struct report_query {
	const char *device;	/* the beginning of a fingerprint; NULL: that of the latest record */
	const char *task;	/* the beginning of a key, or a name; NULL: all */
	const char *campaign;	/* whose trials are told, as db/label.h takes it; NULL: those of all */
	int threads;		/* of kernels; 0: any */
	bool exact;		/* no kernels that derive another algorithm */
	bool assembly;		/* also what this machine's compiler makes of each kernel */
	const char *cc;		/* that compiler; NULL: the builder's own choice */
	const char *nonce;	/* that styles and scripts of the page carry, for a policy of who serves it;
				 * NULL: none */
	const char *tail;	/* markup of the caller's own, written as it is at the end of the page's
				 * body; NULL: none */
};

/* Writes the page. 0, or -1 and a message, with part of it written where the file failed. */
int report_write(FILE *to, struct db *db, const struct report_query *query);
/* The figures; a new reference, NULL and a message. docs/json.schema.json describes it. */
json_t *report_json(struct db *db, const struct report_query *query);

#endif
