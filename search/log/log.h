/* SPDX-License-Identifier: Apache-2.0 */
/* search/log/log.h - records as a text: one record a line, a JSON object each, which stands for itself.
 *
 * In:   records of a database, or such lines, from anywhere.
 * Out:  lines in the order of their bytes, so that the same records give the same text; or what a line
 *       says, once it was held against what this hone knows, else why not.
 * Holds: what is written, imported and written again is the same text. docs/log.md has the fields. */
#ifndef HONE_SEARCH_LOG_LOG_H
#define HONE_SEARCH_LOG_LOG_H

#include "base/text.h"
#include "db/import.h"

/* Of the form of a line: one that this hone does not know is refused. */
#define LOG_VERSION_KEY "hone_log"
enum { LOG_VERSION = 1 };

/* Doubles with all their digits. */
#define LOG_JSON (JSON_COMPACT | JSON_REAL_PRECISION(17))

/* Moments, and numbers of records: beyond, doubles of other readers would round them. */
#define LOG_INTEGER_MOST ((int64_t)1 << 53)

/* Which records go into a log. */
struct log_want {
	const char *const *keys;	/* of tasks; NULL: all that the database has */
	int n;
	const char *target;		/* as struct db_want has it */
	int threads;			/* 0: any */
	bool exact;
	int top;	/* so many that stand, the surest first, of each task, device, toolchain, number of
			 * threads and cache state, and no estimates; 0: every record */
};

/* Appends the lines to OUT; how many, or -1 and a message. */
int64_t log_write(struct text *out, struct db *db, const struct log_want *want);

/* Reads one line after the other; what tasks they are of is remembered. */
struct log_reader;
struct log_reader *log_reader_new(void);
void log_reader_free(struct log_reader *r);	/* NULL is allowed */
/* The line of N bytes at LINE, without its end, in A. NULL where it fits; else why it does not, in A. */
const char *log_read(struct log_reader *r, struct arena *a, const char *line, size_t n, struct db_import *out);

#endif
