/* SPDX-License-Identifier: Apache-2.0 */
/* db/stats.c - what a database holds, in numbers. */
#include "db/record.h"

#include <string.h>

static const char what[] = "reading the statistics";

static struct db_task_stats *stats_of(struct db_stats *s, int64_t task)
{
	/* Tasks are sorted by id. */
	int lo = 0, hi = s->n_tasks;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (s->tasks[mid].task.id < task)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n_tasks && s->tasks[lo].task.id == task ? &s->tasks[lo] : NULL;
}

static int read_tasks(struct db *db, struct arena *a, struct db_stats *out)
{
	struct db_task_vec tasks;

	if (db_tasks(db, a, &tasks) < 0)
		return -1;
	out->n_tasks = tasks.n;
	out->tasks = arena_many(a, struct db_task_stats, tasks.n ? tasks.n : 1);
	for (int i = 0; i < tasks.n; i++)
		out->tasks[i].task = tasks.at[i];
	return 0;
}

/* SQL gives task, status and number; CAMPAIGN is its parameter. */
static int read_trials(struct db *db, struct db_stats *out, const char *sql, int64_t campaign)
{
	sqlite3_stmt *stmt = sql_prepare(db, what, sql, "i", campaign);
	int rc;

	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0) {
		struct db_task_stats *t = stats_of(out, sqlite3_column_int64(stmt, 0));
		const char *name = (const char *)sqlite3_column_text(stmt, 1);
		int64_t n = sqlite3_column_int64(stmt, 2);
		enum trial_status status;

		if (!t || !name || !trial_status_parse(name, &status))
			continue;
		t->trials[status] = n;
		t->n_trials += n;
	}
	return rc;
}

static int read_best(struct db *db, struct db_stats *out)
{
	sqlite3_stmt *stmt = sql_prepare(
		db, what,
		"SELECT task, time_us, final, estimate, imported FROM (SELECT *, row_number() OVER"
		" (PARTITION BY task ORDER BY estimate, imported, final DESC, time_us, id) AS place"
		" FROM standing WHERE cache <> 'model') WHERE place = 1",
		"");
	int rc;

	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0) {
		struct db_task_stats *t = stats_of(out, sqlite3_column_int64(stmt, 0));

		if (!t)
			continue;
		t->best_us = sqlite3_column_double(stmt, 1);
		t->estimate = sqlite3_column_int(stmt, 3) != 0;
		t->imported = sqlite3_column_int(stmt, 4) != 0;
		t->confirmed = sqlite3_column_int(stmt, 2) != 0 && !t->estimate && !t->imported;
	}
	return rc;
}

static int read_totals(struct db *db, struct arena *a, struct db_stats *out)
{
	struct db_campaign_vec campaigns;

	if (db_campaigns(db, a, &campaigns) < 0)
		return -1;
	for (int i = 0; i < campaigns.n; i++)
		out->campaigns[campaigns.at[i].state]++;
	out->bytes = db_file_bytes(db);
	if (sql_int(db, what, &out->devices, "SELECT count(*) FROM devices", "") < 0 ||
	    sql_int(db, what, &out->toolchains, "SELECT count(*) FROM toolchains", "") < 0)
		return -1;
	if (sql_int(db, what, &out->rounds, "SELECT count(*) FROM rounds", "") < 0)
		return -1;
	return sql_int(db, what, &out->records, "SELECT count(*) FROM records", "");
}

static const char trials_of_all[] = "SELECT task, status, count(*) FROM records"
				    " WHERE final = 0 AND ?1 = 0 GROUP BY task, status";
static const char trials_of_one[] = "SELECT task, status, count(*) FROM records"
				    " WHERE final = 0 AND campaign = ?1 GROUP BY task, status";

int db_stats(struct db *db, struct arena *a, struct db_stats *out)
{
	*out = (struct db_stats){ 0 };
	if (sql_run(db, what, "BEGIN", "") < 0)
		return -1;
	int rc = read_tasks(db, a, out);

	if (rc >= 0)
		rc = read_trials(db, out, trials_of_all, 0);
	if (rc >= 0)
		rc = read_best(db, out);
	if (rc >= 0)
		rc = read_totals(db, a, out);
	return sql_end(db, what, rc) < 0 ? -1 : 0;
}

const char *db_task_caveat(const struct db_task_stats *t)
{
	if (t->estimate)
		return "estimate";
	if (t->imported)
		return "imported";
	return t->best_us > 0 && !t->confirmed ? "unconfirmed" : "";
}

int db_campaign_record(struct db *db, struct arena *a, int64_t campaign, struct db_record *out)
{
	sqlite3_stmt *stmt = sql_prepare(db, what,
					 RECORD_SELECT "records" RECORD_JOIN
					 " AND r.campaign = ? AND r.cache <> 'model'"
					 " ORDER BY r.id DESC",
					 "i", campaign);

	if (!stmt)
		return -1;
	int rc = record_step(db, what, a, &stmt, out);

	sqlite3_finalize(stmt);
	return rc;
}

static int add_task(struct db *db, struct arena *a, struct db_task_stats t,
		    const struct db_record *like, struct db_task_stats_vec *out)
{
	struct db_want want = {
		.task_key = t.task.key,
		.fingerprint = like->fingerprint,
		.toolchain = like->toolchain_text,
		.cache = like->cache,
		.threads = like->threads,
	};
	struct db_record best;
	int found = db_best(db, a, &want, &best);

	if (found < 0)
		return -1;
	if (found) {
		t.best_us = best.time_us;
		t.estimate = best.estimate;
		t.imported = best.imported;
		t.confirmed = best.final && !best.estimate && !best.imported;
	}
	vec_push(a, out, t);
	return 0;
}

static int read_campaign_tasks(struct db *db, struct arena *a, int64_t campaign,
			       struct db_task_stats_vec *out)
{
	struct db_stats all = { 0 };
	struct db_record newest;
	int rc = db_campaign_record(db, a, campaign, &newest);

	if (rc <= 0)
		return rc;
	if (read_tasks(db, a, &all) < 0 || read_trials(db, &all, trials_of_one, campaign) < 0)
		return -1;
	for (int i = 0; i < all.n_tasks; i++)
		if (all.tasks[i].n_trials &&
		    add_task(db, a, all.tasks[i], &newest, out) < 0)
			return -1;
	return 0;
}

int db_campaign_tasks(struct db *db, struct arena *a, int64_t campaign,
		      struct db_task_stats_vec *out)
{
	*out = (struct db_task_stats_vec){ 0 };
	if (sql_run(db, what, "BEGIN", "") < 0)
		return -1;
	return sql_end(db, what, read_campaign_tasks(db, a, campaign, out));
}
