/* SPDX-License-Identifier: Apache-2.0 */
/* db/query.c - what a search and a report ask: the best, all, how many, tried before, left out. */
#include "db/record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char all_records[] = RECORD_SELECT "records" RECORD_JOIN;

/* HEAD names the table or view; ORDER is what follows the conditions. */
static int each(struct db *db, const struct db_want *want, const char *head, const char *order,
		int (*fn)(void *ctx, const struct db_record *record), void *ctx)
{
	static const char what[] = "reading the records";
	sqlite3_stmt *stmt = record_select(db, what, head, want, order);

	if (!stmt)
		return -1;
	struct arena *a = arena_new();
	int rc;

	struct db_record r;

	while ((rc = record_step(db, what, a, &stmt, &r)) > 0) {
		if ((rc = fn(ctx, &r)) != 0)
			break;
		arena_reset(a);
	}
	sqlite3_finalize(stmt);
	arena_free(a);
	return rc;
}

int db_each(struct db *db, const struct db_want *want,
	    int (*fn)(void *ctx, const struct db_record *record), void *ctx)
{
	/* of one task all are sorted, which are few: with the index by seq sqlite would look at those of others */
	return each(db, want, all_records,
		    want->task_key ? " ORDER BY +r.seq, r.id" : " ORDER BY r.seq, r.id", fn, ctx);
}

/* Row ids depend on what was merged first. */
#define SAME_ON_ANY_MERGE ", r.seq, r.steps_hash, r.id"

/* What the times come to at the speed that WANT gives. */
static void print_order(struct text *out, const struct db_want *want, enum db_order order)
{
	double fixed_us = want->now ? want->now->fixed_us : 0;

	if (order == DB_LATEST) {
		text_printf(out, " ORDER BY r.imported, %sr.seq DESC, r.time_us" SAME_ON_ANY_MERGE,
			    want->task_key ? "+" : "");
		return;
	}
	text_printf(out, " ORDER BY %sr.time_us",
		    order == DB_SUREST ? "r.estimate, r.imported, r.final DESC, " : "");
	if (fixed_us > 0)
		text_printf(out, " * coalesce(%.9g / s.fixed_us, 1)", fixed_us);
	text_puts(out, SAME_ON_ANY_MERGE);
}

int db_each_standing(struct db *db, const struct db_want *want, enum db_order order,
		     int (*fn)(void *ctx, const struct db_record *record), void *ctx)
{
	struct text by = { 0 };

	print_order(&by, want, order);
	int rc = each(db, want, RECORD_SELECT "standing" RECORD_JOIN, text_str(&by), fn, ctx);

	text_free(&by);
	return rc;
}

int db_top(struct db *db, struct arena *a, const struct db_want *want, enum db_order order, int n,
	   struct db_record_vec *out)
{
	static const char what[] = "reading the best records";
	struct text by = { 0 };
	struct db_record r;
	int rc = 0;

	print_order(&by, want, order);
	sqlite3_stmt *stmt = record_select(db, what, RECORD_SELECT "standing" RECORD_JOIN, want,
					   text_str(&by));

	text_free(&by);
	*out = (struct db_record_vec){ 0 };
	if (!stmt)
		return -1;
	while (out->n < n && (rc = record_step(db, what, a, &stmt, &r)) > 0)
		vec_push(a, out, r);
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

int db_best(struct db *db, struct arena *a, const struct db_want *want, struct db_record *out)
{
	struct db_record_vec top;

	if (db_top(db, a, want, DB_SUREST, 1, &top) < 0)
		return -1;
	if (top.n)
		*out = top.at[0];
	return top.n;
}

/* An iteration over the past, and who asked for it. */
struct visit {
	struct db_task_vec tasks;	/* both sorted by id */
	struct db_device_vec devices;
	int (*fn)(void *ctx, const struct db_past *past);
	void *ctx;
};

static int by_id(const void *key, const void *item)
{
	/* A task and a device begin with their id. */
	int64_t a = *(const int64_t *)key, b = *(const int64_t *)item;

	return (a > b) - (a < b);
}

static int visit_record(void *ctx, const struct db_record *r)
{
	const struct visit *v = ctx;
	struct db_past past = {
		.record = r,
		.task = bsearch(&r->task, v->tasks.at, (size_t)v->tasks.n, sizeof(*v->tasks.at),
				by_id),
		.device = bsearch(&r->device, v->devices.at, (size_t)v->devices.n,
				  sizeof(*v->devices.at), by_id),
	};

	return v->fn(v->ctx, &past);
}

int db_each_past(struct db *db, const struct db_want *want, int64_t limit,
		 int (*fn)(void *ctx, const struct db_past *past), void *ctx)
{
	static const char what[] = "reading earlier records";
	struct visit v = { .fn = fn, .ctx = ctx };
	struct arena *a = arena_new();
	char *order = arena_printf(a, " ORDER BY r.seq DESC, r.id DESC LIMIT %lld",
				   (long long)limit);

	/* One transaction, so that no record comes with a task that was not there before. */
	int rc = sql_run(db, what, "BEGIN", "");

	if (rc == 0) {
		rc = db_tasks(db, a, &v.tasks) < 0 || db_devices(db, a, &v.devices) < 0
			     ? -1
			     : each(db, want, all_records, order, visit_record, &v);
		rc = sql_end(db, what, rc);
	}
	arena_free(a);
	return rc;
}

int db_records(struct db *db, struct arena *a, const struct db_want *want,
	       struct db_record_vec *out)
{
	static const char what[] = "reading the records";
	sqlite3_stmt *stmt = record_select(db, what, all_records, want, " ORDER BY r.seq, r.id");
	struct db_record r;
	int rc;

	*out = (struct db_record_vec){ 0 };
	if (!stmt)
		return -1;
	while ((rc = record_step(db, what, a, &stmt, &r)) > 0)
		vec_push(a, out, r);
	sqlite3_finalize(stmt);
	return rc;
}

int db_find_record(struct db *db, struct arena *a, int64_t id, struct db_record *out)
{
	static const char what[] = "looking for a record";
	sqlite3_stmt *stmt = sql_prepare(db, what, RECORD_SELECT "records" RECORD_JOIN
					 " AND r.id = ?", "i", id);

	if (!stmt)
		return -1;
	int rc = record_step(db, what, a, &stmt, out);

	sqlite3_finalize(stmt);
	return rc;
}

int db_last_record(struct db *db, int64_t *id)
{
	int rc = sql_int(db, "looking for the last record", id,
			 "SELECT coalesce(max(id), 0) FROM records", "");

	return rc < 0 ? -1 : 0;
}

int db_counts(struct db *db, const struct db_want *want, int64_t counts[TRIAL_STATUS_COUNT])
{
	static const char what[] = "counting the trials";
	sqlite3_stmt *stmt =
		record_select(db, what, "SELECT r.status, count(*) FROM records" RECORD_JOIN, want,
			      " AND r.final = 0 GROUP BY r.status");
	int rc;

	memset(counts, 0, sizeof(counts[0]) * TRIAL_STATUS_COUNT);
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		enum trial_status s;

		if (name && trial_status_parse(name, &s))
			counts[s] = sqlite3_column_int64(stmt, 1);
	}
	return rc;
}

/* The first part that does not fit decides; an example for those where a name helps. Between them stand
 * the conditions of want_target() and want_machine(). Times inside models are beside those that they
 * repeat. */
static const char skipped[] =
	"SELECT CASE WHEN ?2 IS NOT NULL AND d.fingerprint <> ?2 THEN 0"
	"	WHEN ?3 IS NOT NULL AND c.text <> ?3 THEN 1"
	"	WHEN ?5 <> 0 AND r.threads <> ?5 THEN 2"
	"	WHEN ?4 IS NOT NULL AND r.cache <> ?4 THEN 3 WHEN NOT (";
static const char skipped_machine[] = ") THEN 4 WHEN NOT ";
static const char skipped_end[] =
	" THEN 5 END AS why, count(*), min(c.text)"
	" FROM records r JOIN tasks t ON t.id = r.task JOIN devices d ON d.id = r.device"
	" JOIN toolchains c ON c.id = r.toolchain LEFT JOIN sittings s ON s.id = r.sitting"
	" WHERE r.status = 'ok' AND r.cache <> 'model' AND c.text NOT GLOB '" DB_OFFLOAD "*'"
	" AND coalesce(?1, 1) IS NOT NULL";
static const char skipped_groups[] = " GROUP BY why HAVING why IS NOT NULL ORDER BY why";

int db_skipped(struct db *db, struct arena *a, const struct db_want *want, struct db_skipped *out)
{
	static const char what[] = "counting the records that do not fit";
	static const char *const reasons[] = {
		"of another device",
		"built by another toolchain",
		"with another number of threads",
		"with another cache state",
		"for another target",
		"of a machine of another speed with the same description",
	};
	struct text why = { 0 }, sql = { 0 };
	int rc;

	assert(!want->elsewhere);
	text_puts(&sql, skipped);
	want_target(&sql, want);
	text_puts(&sql, skipped_machine);
	want_machine(&sql, want);
	text_puts(&sql, skipped_end);
	want_task(&sql, want);
	text_puts(&sql, skipped_groups);
	sqlite3_stmt *stmt = want_prepare(db, what, text_str(&sql), want);

	text_free(&sql);
	*out = (struct db_skipped){ .why = "" };
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0) {
		int reason = sqlite3_column_int(stmt, 0);
		int64_t n = sqlite3_column_int64(stmt, 1);

		out->n += n;
		text_printf(&why, "%s%lld %s", why.n ? ", " : "", (long long)n, reasons[reason]);
		if (reason == 1)
			text_printf(&why, " (%s)", (const char *)sqlite3_column_text(stmt, 2));
	}
	out->why = arena_strdup(a, text_str(&why));
	text_free(&why);
	return rc;
}
