/* SPDX-License-Identifier: Apache-2.0 */
/* db/record.c - one record to and from its row, and the transaction that saves a batch. */
#include "db/record.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "schedule/step.h"
#include "target/target.h"

/* ---- writing */

static const char insert[] =
	"INSERT INTO records (task, device, toolchain, campaign, trial, final, threads, steps,"
	" steps_hash, status, message, samples, time_us, ratio, counters, cache, build_ms, run_ms,"
	" created, others, estimate, source_hash, hone, counted, sitting, imported, seq)"
	" VALUES (?1, ?2, ?3, nullif(?4, 0), ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
	" nullif(?13, 0), nullif(?14, 0), ?15, ?16, ?17, ?18, ?19, nullif(?20, -1), ?21, ?22, ?23,"
	" ?24, nullif(?25, 0), ?26,"
	" coalesce(nullif(?27, 0), (SELECT coalesce(max(seq), 0) + 1 FROM records)))";

int record_insert(struct db *db, const char *what, int64_t campaign, const struct db_record *r)
{
	char hash[HASH_TEXT];
	bool ok = r->status == TRIAL_OK;

	assert(r->steps && r->n_samples >= 0);
	hash_text(hash_bytes(r->steps, strlen(r->steps)), hash);
	/* A blob of no bytes must not be a null pointer, which would be NULL. */
	return sql_run(db, what, insert, "iiiiiiittttbddttddiiitttiii", r->task, r->device, r->toolchain,
		       campaign, r->trial, (int64_t)r->final, (int64_t)r->threads, r->steps, hash,
		       trial_status_name(r->status), r->message ? r->message : "",
		       r->n_samples ? (const void *)r->samples : "",
		       (size_t)r->n_samples * sizeof(double), ok ? r->time_us : 0.0, r->ratio,
		       r->counters ? r->counters : "{}", r->cache ? r->cache : cache_state_name(CACHE_WARM), r->build_ms,
		       r->run_ms, r->created ? r->created : clock_wall(),
		       r->final ? (int64_t)r->others : -1, (int64_t)r->estimate, r->source_hash,
		       r->hone, ok ? r->counted : NULL,
		       campaign ? db->sitting : (int64_t)0, (int64_t)r->imported, r->seq);
}

/* What was measured just now. */
static int append_record(struct db *db, const char *what, int64_t campaign, const struct db_record *r)
{
	struct db_record now = *r;

	now.imported = false;
	now.seq = 0;
	return record_insert(db, what, campaign, &now);
}

/* The count of rounds is the proof that nobody else went on with this campaign. */
static int save_state(struct db *db, const char *what, const struct db_batch *b)
{
	int rc;

	if (b->state)
		rc = sql_run(db, what,
			     "UPDATE campaigns SET rounds = rounds + 1, seen = ?3, search = ?4"
			     " WHERE id = ?1 AND rounds = ?2 AND state = 'running'",
			     "iiib", b->campaign, db->rounds, clock_wall(),
			     b->state_bytes ? b->state : "", b->state_bytes);
	else
		rc = sql_run(db, what,
			     "UPDATE campaigns SET rounds = rounds + 1, seen = ?3"
			     " WHERE id = ?1 AND rounds = ?2 AND state = 'running'",
			     "iii", b->campaign, db->rounds, clock_wall());
	if (rc < 0 || sqlite3_changes(db->sql) == 1)
		return rc;
	return err_set("%s: another process went on with campaign %lld of %s: stop one of the two; "
		       "this batch was not saved",
		       what, (long long)b->campaign, db->path);
}

int db_append(struct db *db, const struct db_batch *batch)
{
	static const char what[] = "saving a batch of trials";
	int rc = 0;

	assert(batch->campaign == 0 || batch->campaign == db->campaign);
	assert(!batch->round || batch->campaign);
	if (sql_begin(db, what) < 0)
		return -1;
	for (int i = 0; i < batch->n && rc >= 0; i++)
		rc = append_record(db, what, batch->campaign, &batch->records[i]);
	if (rc >= 0 && batch->round)
		rc = round_save(db, what, batch->round);
	if (rc >= 0 && batch->campaign)
		rc = save_state(db, what, batch);
	if (sql_end(db, what, rc) < 0)
		return -1;
	if (batch->campaign)
		db->rounds++;
	return 0;
}

/* ---- reading */

sqlite3_stmt *want_prepare(struct db *db, const char *what, const char *sql,
			   const struct db_want *want)
{
	return sql_prepare(db, what, sql, "tttti", want->task_key, want->fingerprint,
			   want->toolchain, want->cache, (int64_t)want->threads);
}

void want_task(struct text *sql, const struct db_want *want)
{
	/* by number, which the index of records begins with */
	if (want->task_key)
		text_puts(sql, " AND r.task = (SELECT id FROM tasks WHERE key = ?1)");
}

void want_machine(struct text *sql, const struct db_want *want)
{
	double peak = want->now ? want->now->peak[0] : 0;

	if (peak > 0)
		text_printf(sql, "(s.peak_one IS NULL OR s.peak_one BETWEEN %.9g AND %.9g)",
			    peak / DB_SAME_MACHINE, peak * DB_SAME_MACHINE);
	else
		text_puts(sql, "1");
}

void want_target(struct text *sql, const struct db_want *want)
{
	if (!want->target)
		text_puts(sql, "1");
	else if (*want->target)
		text_printf(sql, "c.text GLOB '*" TARGET_MARK "%s'", want->target);
	else
		text_puts(sql, "c.text NOT GLOB '*" TARGET_MARK "*'");
}

/* Steps that derive no other terms. */
static void want_exact(struct text *sql)
{
	for (int d = 0; d < DERIVATION_COUNT; d++)
		if (!derivation_is_exact((enum derivation)d))
			text_printf(sql, " AND instr(r.steps, ' %s ') = 0", derivation_name((enum derivation)d));
}

sqlite3_stmt *record_select(struct db *db, const char *what, const char *head,
			    const struct db_want *want, const char *tail)
{
	struct text sql = { 0 };

	text_puts(&sql, head);
	/* Only what is set: "?1 IS NULL OR key = ?1" would keep sqlite from its indexes. */
	want_task(&sql, want);
	if (want->fingerprint)
		text_printf(&sql, " AND d.fingerprint %s ?2", want->elsewhere ? "<>" : "=");
	if (want->toolchain)
		text_puts(&sql, " AND c.text = ?3");
	text_puts(&sql, " AND ");
	want_target(&sql, want);
	text_printf(&sql, " AND c.text %sGLOB '" DB_OFFLOAD "*'", want->offload ? "" : "NOT ");
	text_puts(&sql, want->cache ? " AND r.cache = ?4" : " AND r.cache <> 'model'");
	if (want->threads)
		text_puts(&sql, " AND r.threads = ?5");
	if (want->until)
		text_printf(&sql, " AND r.id <= %jd", (intmax_t)want->until);
	if (want->measured)
		text_puts(&sql, " AND r.estimate = 0");
	if (want->exact)
		want_exact(&sql);
	if (want->from != DB_ANYWHERE)
		text_printf(&sql, " AND r.imported = %d", want->from == DB_ELSEWHERE);
	text_puts(&sql, " AND ");
	want_machine(&sql, want);
	/* True always: it gives the statement all five parameters to bind. */
	text_puts(&sql, " AND coalesce(?1, ?2, ?3, ?4, ?5, 1) IS NOT NULL");
	text_puts(&sql, tail);
	sqlite3_stmt *stmt = want_prepare(db, what, sql.s, want);

	text_free(&sql);
	return stmt;
}

/* A text that may be null; in A. */
static const char *text_or_null(struct arena *a, sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL ? NULL : sql_text(a, stmt, column);
}

static int int_or(sqlite3_stmt *stmt, int column, int none)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL ? none
								: sqlite3_column_int(stmt, column);
}

struct db_record record_read(struct arena *a, sqlite3_stmt *stmt)
{
	const void *samples = sqlite3_column_blob(stmt, 12);
	size_t bytes = (size_t)sqlite3_column_bytes(stmt, 12);
	const char *hash = sql_text(a, stmt, 9), *status = sql_text(a, stmt, 10);
	struct db_record r = {
		.id = sqlite3_column_int64(stmt, 0),
		.task = sqlite3_column_int64(stmt, 1),
		.device = sqlite3_column_int64(stmt, 2),
		.toolchain = sqlite3_column_int64(stmt, 3),
		.campaign = sqlite3_column_int64(stmt, 4),
		.trial = sqlite3_column_int64(stmt, 5),
		.final = sqlite3_column_int(stmt, 6) != 0,
		.threads = sqlite3_column_int(stmt, 7),
		.steps = sql_text(a, stmt, 8),
		.message = sql_text(a, stmt, 11),
		.samples = bytes ? arena_memdup(a, samples, bytes) : NULL,
		.n_samples = (int)(bytes / sizeof(double)),
		.time_us = sqlite3_column_double(stmt, 13),
		.ratio = sqlite3_column_double(stmt, 14),
		.counters = sql_text(a, stmt, 15),
		.cache = sql_text(a, stmt, 16),
		.build_ms = sqlite3_column_double(stmt, 17),
		.run_ms = sqlite3_column_double(stmt, 18),
		.created = sqlite3_column_int64(stmt, 19),
		.task_key = sql_text(a, stmt, 20),
		.fingerprint = sql_text(a, stmt, 21),
		.toolchain_text = sql_text(a, stmt, 22),
		.seq = sqlite3_column_int64(stmt, 23),
		.others = int_or(stmt, 24, -1),
		.estimate = sqlite3_column_int(stmt, 25) != 0,
		.source_hash = text_or_null(a, stmt, 26),
		.hone = text_or_null(a, stmt, 27),
		.counted = text_or_null(a, stmt, 28),
		.sitting = sqlite3_column_int64(stmt, 29),
		.imported = sqlite3_column_int(stmt, 30) != 0,
	};

	hash_parse(hash, &r.steps_hash);
	trial_status_parse(status, &r.status);
	r.fault = record_fault(a, &r, hash, status, bytes);
	return r;
}

static const char *copy(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

struct db_record db_record_copy(struct arena *a, const struct db_record *r)
{
	struct db_record c = *r;

	c.task_key = copy(a, r->task_key);
	c.fingerprint = copy(a, r->fingerprint);
	c.toolchain_text = copy(a, r->toolchain_text);
	c.source_hash = copy(a, r->source_hash);
	c.hone = copy(a, r->hone);
	c.steps = copy(a, r->steps);
	c.message = copy(a, r->message);
	c.counted = copy(a, r->counted);
	c.counters = copy(a, r->counters);
	c.cache = copy(a, r->cache);
	c.fault = copy(a, r->fault);
	c.samples = r->n_samples
			    ? arena_memdup(a, r->samples, (size_t)r->n_samples * sizeof(double))
			    : NULL;
	return c;
}

int record_step(struct db *db, const char *what, struct arena *a, sqlite3_stmt **stmt,
		struct db_record *out)
{
	int rc;

	while ((rc = sql_step(db, what, stmt)) > 0) {
		*out = record_read(a, *stmt);
		if (!out->fault)
			return 1;
		db_skip(db, out->id, out->fault);
	}
	return rc;
}
