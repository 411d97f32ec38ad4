/* SPDX-License-Identifier: Apache-2.0 */
/* db/sql.h - what the files of db/ share: the handle, statements, transactions, errors, schema.
 * Outside db/, only its tests include this. */
#ifndef HONE_DB_SQL_H
#define HONE_DB_SQL_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/text.h"
#include "db/db.h"

enum { SKIPS_TOLD = 16 };	/* then it is the file that is damaged, not records */

struct db {
	sqlite3 *sql;
	char *path;		/* as the user gave it; heap */
	const char *access;	/* how sqlite opened it: "mode=rw", ...; static */
	enum db_mode mode;
	int64_t campaign;	/* started or resumed here; 0 for none */
	int64_t sitting;	/* of that; 0 for none */
	int hold;		/* descriptor of the locks on campaigns; -1: not open */
	int64_t rounds;		/* its batches as this handle knows them */
	struct listener listener;	/* of records that are skipped */
	int64_t told[SKIPS_TOLD];	/* their ids */
	int n_told;
};

/* Sets the message for sqlite's last error while doing WHAT ("saving a batch"); returns -1. */
int sql_error(struct db *db, const char *what);

/* KINDS has a letter for each argument, bound in order to ?1, ?2, ...: t text (NULL is null),
 * i int64_t, d double, b blob (const void *, size_t). */
sqlite3_stmt *sql_prepare(struct db *db, const char *what, const char *sql, const char *kinds, ...);
/* 1 for a row, 0 at the end, -1 and a message; finalizes *STMT unless there is a row. */
int sql_step(struct db *db, const char *what, sqlite3_stmt **stmt);
/* Prepares, binds, runs to the end. */
int sql_run(struct db *db, const char *what, const char *sql, const char *kinds, ...);
/* The first column of the first row: 1, or 0 where there is no row, or -1 and a message. */
int sql_int(struct db *db, const char *what, int64_t *out, const char *sql, const char *kinds, ...);
/* A column as text in A; "" for null. */
char *sql_text(struct arena *a, sqlite3_stmt *stmt, int column);
/* A column as a number; NAN for null. */
double sql_real(sqlite3_stmt *stmt, int column);

int sql_begin(struct db *db, const char *what);
/* Commits where RESULT is 0 or more, else rolls back, keeping the message. RESULT, or -1. */
int sql_end(struct db *db, const char *what, int result);

/* Passes the gate: until hold_leave nobody else begins or takes a campaign. 0, or -1 and a
 * message. */
int hold_enter(struct db *db);
/* Behind the gate. 1: the campaign is this handle's until hold_drop, or the end of its process; 0:
 * another one has it; -1 and a message. */
int hold_take(struct db *db, int64_t campaign);
void hold_leave(struct db *db);
/* Lets go of what this handle has; nothing where that is nothing. */
void hold_drop(struct db *db);
/* Whether any handle, of whatever process, has it. */
bool hold_is_taken(const struct db *db, int64_t campaign);

/* Begins a sitting of the handle's campaign. */
int sitting_begin(struct db *db, const struct db_calibration *c);
/* Who sits at CAMPAIGN, or did last, in words and in A. */
const char *sitting_who(struct db *db, struct arena *a, int64_t campaign);

/* Drops imported records of which the same is known from here; *N is how many. */
int records_drop_hearsay(struct db *db, const char *what, int64_t *n);

/* The parts of db_append. The round is the next one of the handle's campaign. */
int round_save(struct db *db, const char *what, const struct db_round *r);

/* One step of the schema: version N is migrations[N - 1]. */
struct migration {
	const char *what;	/* in words, kept in the file */
	const char *sql;
};
extern const struct migration db_migrations[];
extern const int db_migration_count;

enum {
	DB_APPLICATION_ID = 0x686f6e65,	/* "hone" */
	DB_BUSY_MS = 10000,		/* patience with another writer */
};

/* Is this file ours, and of a version that N migrations cover? *EMPTY: nothing in it yet. */
int schema_identify(struct db *db, int n, bool *empty);
/* Applies the migrations that are missing, each with its version number in one transaction. */
int schema_upgrade(struct db *db, const struct migration *m, int n);
/* db_open with another history of the schema, for tests of it. */
struct db *db_open_with(const char *path, enum db_mode mode, const struct migration *m, int n);

/* PATH as a URI for sqlite, with parameters ACCESS; the caller frees it. */
char *sql_uri(const char *path, const char *access);
/* Gives the space of what was deleted back to the system. Fails, with all as it was, where the disk is full. */
int sql_shrink(struct db *db, const char *what);
/* Bytes on disk, the log included. */
int64_t db_file_bytes(const struct db *db);

#endif
