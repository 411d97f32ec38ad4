/* SPDX-License-Identifier: Apache-2.0 */
/* db/prune.c - removes records that are not worth keeping, and gives their space back. */
#include "db/sql.h"

#include "base/clock.h"

static const char pruning[] = "pruning";
static const char shrinking[] = "giving space back after pruning";

/* Superseded figures of a step list go with the first call, the slow lists as well. What won inside
 * a model is the latest there, not the fastest. */
static const char drop_ok[] =
	"DELETE FROM records WHERE status = 'ok' AND id NOT IN (SELECT id FROM (SELECT id,"
	" row_number() OVER (PARTITION BY task, device, toolchain, threads, cache"
	" ORDER BY estimate, imported, final DESC, CASE cache WHEN 'model' THEN -seq ELSE time_us END, time_us,"
	" id) AS place FROM standing) WHERE place <= ?)";
/* A failure stays while an ok record of its step list does: it may be what keeps a kernel that is
 * fast and wrong from being named best. */
static const char drop_failed[] =
	"DELETE FROM records WHERE status <> 'ok' AND created < ? AND NOT EXISTS (SELECT 1"
	" FROM records k WHERE k.status = 'ok' AND k.task = records.task"
	" AND k.device = records.device AND k.toolchain = records.toolchain"
	" AND k.threads = records.threads AND k.steps_hash = records.steps_hash)";

/* Of a file whose records are all of one kind, and can be made again. */
static const char drop_old[] =
	"DELETE FROM records WHERE seq <= (SELECT seq FROM records ORDER BY seq DESC LIMIT 1 OFFSET ?)";
static const char drop_tasks[] =
	"DELETE FROM tasks WHERE id NOT IN (SELECT task FROM records UNION SELECT task FROM rounds)";
static const char drop_toolchains[] =
	"DELETE FROM toolchains WHERE id NOT IN (SELECT toolchain FROM records)";

/* The diary of a campaign goes with the last of its records. */
static const char drop_rounds[] =
	"DELETE FROM rounds WHERE campaign IN (SELECT id FROM campaigns c"
	" WHERE c.state <> 'running'"
	" AND NOT EXISTS (SELECT 1 FROM records r WHERE r.campaign = c.id))";
/* So do its sittings, one by one. */
static const char drop_sittings[] =
	"DELETE FROM sittings WHERE NOT EXISTS (SELECT 1 FROM records r WHERE r.sitting = sittings.id)"
	" AND campaign IN (SELECT id FROM campaigns WHERE state <> 'running')";
static int drop(struct db *db, const struct db_prune *prune, struct db_pruned *out)
{
	const int64_t day = 24 * 60 * 60;

	if (prune->keep > 0) {
		if (sql_run(db, pruning, drop_ok, "i", (int64_t)prune->keep) < 0)
			return -1;
		out->ok = sqlite3_changes(db->sql);
	}
	if (prune->failed_days >= 0) {
		int64_t before = clock_wall() - prune->failed_days * day;

		/* 0 days means all, also those of this second. */
		if (sql_run(db, pruning, drop_failed, "i", before + (prune->failed_days == 0)) < 0)
			return -1;
		out->failed = sqlite3_changes(db->sql);
	}
	if (prune->most > 0) {
		if (sql_run(db, pruning, drop_old, "i", prune->most) < 0)
			return -1;
		out->old = sqlite3_changes(db->sql);
	}
	if (sql_run(db, pruning, drop_rounds, "") < 0)
		return -1;
	out->rounds = sqlite3_changes(db->sql);
	if (sql_run(db, pruning, drop_sittings, "") < 0)
		return -1;
	return prune->most > 0 && (sql_run(db, pruning, drop_tasks, "") < 0 ||
				   sql_run(db, pruning, drop_toolchains, "") < 0) ? -1 : 0;
}

int db_prune(struct db *db, const struct db_prune *prune, struct db_pruned *out)
{
	*out = (struct db_pruned){ .bytes_before = db_file_bytes(db) };
	if (sql_begin(db, pruning) < 0 || sql_end(db, pruning, drop(db, prune, out)) < 0)
		return -1;
	/* The records are gone by now; only the file stays large where this fails. */
	if (!prune->keeps_size && sql_shrink(db, shrinking) < 0)
		return -1;
	out->bytes_after = db_file_bytes(db);
	return 0;
}
