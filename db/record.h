/* SPDX-License-Identifier: Apache-2.0 */
/* db/record.h - reading records: the one list of columns, and the WHERE that a db_want makes. */
#ifndef HONE_DB_RECORD_H
#define HONE_DB_RECORD_H

#include "db/sql.h"

/* "SELECT ..., FROM": every column record_read takes, of `r` joined with its names. */
#define RECORD_SELECT                                                                              \
	"SELECT r.id, r.task, r.device, r.toolchain, r.campaign, r.trial, r.final, r.threads,"     \
	" r.steps, r.steps_hash, r.status, r.message, r.samples, r.time_us, r.ratio, r.counters,"  \
	" r.cache, r.build_ms, r.run_ms, r.created, t.key, d.fingerprint, c.text, r.seq,"          \
	" r.others, r.estimate, r.source_hash, r.hone, r.counted, r.sitting, r.imported FROM "
#define RECORD_JOIN                                                                                \
	" r JOIN tasks t ON t.id = r.task JOIN devices d ON d.id = r.device"                       \
	" JOIN toolchains c ON c.id = r.toolchain LEFT JOIN sittings s ON s.id = r.sitting WHERE 1"

/* SQL with the parts of WANT bound: ?1 task key, ?2 fingerprint, ?3 toolchain, ?4 cache,
 * ?5 threads. It must use all five. */
sqlite3_stmt *want_prepare(struct db *db, const char *what, const char *sql,
			   const struct db_want *want);
/* HEAD, a condition for each part of WANT that is set, TAIL; bound. */
sqlite3_stmt *record_select(struct db *db, const char *what, const char *head,
			    const struct db_want *want, const char *tail);
/* Prints " AND " and the condition that a record r is of the task wanted; nothing where all are. */
void want_task(struct text *sql, const struct db_want *want);
/* Prints a condition on sittings s: that they are of the machine which WANT's speed is of. */
void want_machine(struct text *sql, const struct db_want *want);
/* Prints the condition that a toolchain is of the target wanted. */
void want_target(struct text *sql, const struct db_want *want);
/* Saves R, whose seq is the next one where it is 0. */
int record_insert(struct db *db, const char *what, int64_t campaign, const struct db_record *r);
/* The row of a RECORD_SELECT, in A, with its fault where it has one. */
struct db_record record_read(struct arena *a, sqlite3_stmt *stmt);
/* The next row that is sound; the others are skipped. As sql_step(). */
int record_step(struct db *db, const char *what, struct arena *a, sqlite3_stmt **stmt,
		struct db_record *out);

/* What is wrong with R, whose row has HASH and STATUS and a blob of SAMPLES_BYTES; in A. NULL:
 * nothing. */
const char *record_fault(struct arena *a, const struct db_record *r, const char *hash,
			 const char *status, size_t samples_bytes);

#endif
