/* SPDX-License-Identifier: Apache-2.0 */
/* db/check.c - is the file sound: sqlite's own checks, and what they cannot know about records. */
#include "db/record.h"

#include <string.h>

static const char what[] = "checking the database";

enum { MAX_PROBLEMS = 100 };	/* a wrecked file would name every row; sqlite's own default */

__attribute__((format(printf, 3, 4))) static void problem(struct arena *a,
							   struct db_problem_vec *out,
							   const char *fmt, ...)
{
	va_list ap;

	if (out->n > MAX_PROBLEMS)
		return;
	if (out->n == MAX_PROBLEMS) {
		vec_push(a, out, "there is more of this kind");
		return;
	}
	va_start(ap, fmt);
	vec_push(a, out, arena_vprintf(a, fmt, ap));
	va_end(ap);
}

static int check_integrity(struct db *db, struct arena *a, struct db_problem_vec *out)
{
	sqlite3_stmt *stmt = sql_prepare(db, what, "PRAGMA integrity_check", "");
	int rc;

	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0) {
		const char *line = sql_text(a, stmt, 0);

		if (strcmp(line, "ok") != 0)
			problem(a, out, "%s", line);
	}
	return rc;
}

static int check_references(struct db *db, struct arena *a, struct db_problem_vec *out)
{
	sqlite3_stmt *stmt = sql_prepare(db, what, "PRAGMA foreign_key_check", "");
	int rc;

	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0)
		problem(a, out, "%s %lld refers to a row of %s that is not there",
			sql_text(a, stmt, 0), (long long)sqlite3_column_int64(stmt, 1),
			sql_text(a, stmt, 2));
	return rc;
}

/* The NAME must be in TABLE; it is called WORD. */
static int check_name(struct db *db, struct arena *a, struct db_problem_vec *out, const char *table,
		      const char *word, const char *name)
{
	char *sql = arena_printf(a, "SELECT 1 FROM %s WHERE name = ?", table);
	int64_t one;
	int rc = sql_int(db, what, &one, sql, "t", name);

	if (rc == 0)
		problem(a, out, "the %s '%s' is missing", word, name);
	return rc < 0 ? -1 : 0;
}

static int check_schema(struct db *db, struct arena *a, struct db_problem_vec *out)
{
	int64_t version = 0, applied = 0;

	if (sql_int(db, what, &version, "PRAGMA user_version", "") < 0 ||
	    sql_int(db, what, &applied, "SELECT count(*) FROM migrations", "") < 0)
		return -1;
	if (version != applied)
		problem(a, out, "schema version %lld, but %lld migrations are noted",
			(long long)version, (long long)applied);
	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		if (check_name(db, a, out, "statuses", "status",
			       trial_status_name((enum trial_status)i)) < 0)
			return -1;
	for (int i = 0; i < CACHE_STATE_COUNT; i++)
		if (check_name(db, a, out, "caches", "cache state",
			       cache_state_name((enum cache_state)i)) < 0)
			return -1;
	return 0;
}

/* SQL names the rows that have FAULT. */
static int check_rows(struct db *db, struct arena *a, struct db_problem_vec *out, const char *sql,
		      const char *fault)
{
	sqlite3_stmt *stmt = sql_prepare(db, what, sql, "");
	int rc;

	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0)
		problem(a, out, "%s %s", sql_text(a, stmt, 0), fault);
	return rc;
}

static int check_records(struct db *db, struct arena *a, struct db_problem_vec *out)
{
	static const char no_json[] =
		"SELECT 'record ' || id FROM records WHERE NOT json_valid(counters)";
	/* A status that is not there is named by its reference. */
	sqlite3_stmt *stmt = sql_prepare(db, what,
					 RECORD_SELECT "records" RECORD_JOIN
					 " AND r.status IN (SELECT name FROM statuses)"
					 " ORDER BY r.id", "");
	int rc;

	if (!stmt)
		return -1;
	struct arena *row = arena_new();

	while ((rc = sql_step(db, what, &stmt)) > 0) {
		struct db_record r = record_read(row, stmt);

		if (r.fault)
			problem(a, out, "record %lld: %s", (long long)r.id, r.fault);
		arena_reset(row);
	}
	arena_free(row);
	return rc < 0 ? -1 : check_rows(db, a, out, no_json, "has counters that are no JSON");
}

static int check_rounds(struct db *db, struct arena *a, struct db_problem_vec *out)
{
	static const char beyond[] =
		"SELECT 'round ' || number || ' of campaign ' || campaign FROM rounds"
		" JOIN campaigns c ON c.id = campaign WHERE number > c.rounds";
	static const char no_share[] =
		"SELECT 'round ' || number || ' of campaign ' || campaign FROM rounds"
		" WHERE recall NOT BETWEEN 0 AND 1 OR rank NOT BETWEEN -1 AND 1"
		" OR accuracy NOT BETWEEN 0 AND 1";

	if (check_rows(db, a, out, beyond, "is not among its batches") < 0)
		return -1;
	return check_rows(db, a, out, no_share, "has a quality that cannot be");
}

static int check_all(struct db *db, struct arena *a, struct db_problem_vec *out)
{
	if (check_integrity(db, a, out) < 0)
		return -1;
	/* Row by row has a meaning only where the pages are sound. */
	if (out->n)
		return 0;
	if (check_schema(db, a, out) < 0 || check_references(db, a, out) < 0)
		return -1;
	return check_records(db, a, out) < 0 ? -1 : check_rounds(db, a, out);
}

int db_check(struct db *db, struct arena *a, struct db_problem_vec *out)
{
	*out = (struct db_problem_vec){ 0 };
	/* One transaction: all parts look at the same moment, also beside a writer. */
	if (sql_run(db, what, "BEGIN", "") < 0)
		return -1;
	return sql_end(db, what, check_all(db, a, out));
}
