/* SPDX-License-Identifier: Apache-2.0 */
/* db/merge.c - takes in another database, whole or not at all.
 *
 * Rows of two files are the same by their identity: fingerprint, toolchain text, task key, campaign
 * uid; records by all that says where, when and what was measured. Row ids never travel; the numbers
 * by which records supersede each other do, so that the same files merged in any order, and any
 * number of times, have the same records stand. */
#include "db/sql.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"

static const char merging[] = "merging";

static const char add_devices[] =
	"INSERT INTO main.devices (fingerprint, description, created)"
	" SELECT fingerprint, description, created FROM other.devices WHERE fingerprint NOT IN"
	" (SELECT fingerprint FROM main.devices) ORDER BY id";
static const char add_toolchains[] =
	"INSERT INTO main.toolchains (text) SELECT text FROM other.toolchains WHERE text NOT IN"
	" (SELECT text FROM main.toolchains) ORDER BY id";
static const char add_tasks[] =
	"INSERT INTO main.tasks (key, name, text, flop) SELECT key, name, text, flop"
	" FROM other.tasks WHERE key NOT IN (SELECT key FROM main.tasks) ORDER BY id";
/* One that runs in the other file is, here, one that stopped at its last batch. One that both files
 * know keeps the search state it has here. */
static const char add_campaigns[] =
	"INSERT INTO main.campaigns"
	" (uid, device, created, ended, source, options, seed, state, rounds, search, seen)"
	" SELECT o.uid, d.id, o.created, o.ended, o.source, o.options, o.seed,"
	" CASE o.state WHEN 'running' THEN 'stopped' ELSE o.state END, o.rounds, o.search, o.seen"
	" FROM other.campaigns o JOIN other.devices od ON od.id = o.device"
	" JOIN main.devices d ON d.fingerprint = od.fingerprint"
	" WHERE o.uid NOT IN (SELECT uid FROM main.campaigns) ORDER BY o.id";
static const char add_sittings[] =
	"INSERT INTO main.sittings (uid, campaign, host, pid, began, ended, fixed_us, probed,"
	" peak_one, peak_all, l1_one, l1_all, l2_one, l2_all, mem_one, mem_all)"
	" SELECT o.uid, p.id, o.host, o.pid, o.began, o.ended, o.fixed_us, o.probed, o.peak_one,"
	" o.peak_all, o.l1_one, o.l1_all, o.l2_one, o.l2_all, o.mem_one, o.mem_all"
	" FROM other.sittings o"
	" JOIN other.campaigns op ON op.id = o.campaign JOIN main.campaigns p ON p.uid = op.uid"
	" WHERE o.uid NOT IN (SELECT uid FROM main.sittings) ORDER BY o.id";
static const char add_records[] =
	"INSERT INTO main.records (task, device, toolchain, campaign, trial, final, threads, steps,"
	" steps_hash, status, message, samples, time_us, ratio, counters, cache, build_ms, run_ms,"
	" created, others, estimate, source_hash, hone, counted, seq,"
	" sitting)"
	" SELECT t.id, d.id, c.id, p.id, o.trial, o.final, o.threads, o.steps, o.steps_hash,"
	" o.status, o.message, o.samples, o.time_us, o.ratio, o.counters, o.cache, o.build_ms,"
	" o.run_ms, o.created, o.others, o.estimate, o.source_hash, o.hone, o.counted, o.seq, s.id"
	" FROM other.records o"
	" JOIN other.tasks ot ON ot.id = o.task JOIN main.tasks t ON t.key = ot.key"
	" JOIN other.devices od ON od.id = o.device"
	" JOIN main.devices d ON d.fingerprint = od.fingerprint"
	" JOIN other.toolchains oc ON oc.id = o.toolchain"
	" JOIN main.toolchains c ON c.text = oc.text"
	" LEFT JOIN other.campaigns op ON op.id = o.campaign"
	" LEFT JOIN main.campaigns p ON p.uid = op.uid"
	" LEFT JOIN other.sittings os ON os.id = o.sitting"
	" LEFT JOIN main.sittings s ON s.uid = os.uid"
	" WHERE NOT EXISTS (SELECT 1 FROM main.records m WHERE m.task = t.id AND m.device = d.id"
	" AND m.toolchain = c.id AND m.threads = o.threads AND m.steps_hash = o.steps_hash"
	" AND m.created = o.created AND m.campaign IS p.id AND m.trial = o.trial"
	" AND m.final = o.final AND m.status = o.status AND m.cache = o.cache"
	" AND m.time_us IS o.time_us AND m.samples = o.samples)"
	" ORDER BY o.id";

/* Beyond the batches that this file has of a campaign nothing is taken: the next one it saves gets
 * that number. */
static const char add_rounds[] =
	"INSERT INTO main.rounds (campaign, number, task, created, trials, failed, refused,"
	" best_us, search_s, learn_s, build_s, run_s, verify_s, wait_s, samples, recall, rank,"
	" accuracy, beside_s)"
	" SELECT p.id, o.number, t.id, o.created, o.trials, o.failed, o.refused, o.best_us,"
	" o.search_s, o.learn_s, o.build_s, o.run_s, o.verify_s, o.wait_s, o.samples, o.recall,"
	" o.rank, o.accuracy, o.beside_s"
	" FROM other.rounds o"
	" JOIN other.campaigns op ON op.id = o.campaign JOIN main.campaigns p ON p.uid = op.uid"
	" JOIN other.tasks ot ON ot.id = o.task JOIN main.tasks t ON t.key = ot.key"
	" WHERE o.number <= p.rounds AND NOT EXISTS (SELECT 1 FROM main.rounds m"
	" WHERE m.campaign = p.id AND m.number = o.number)";
static int add(struct db *db, const char *sql, int64_t *n)
{
	if (sql_run(db, merging, sql, "") < 0)
		return -1;
	*n = sqlite3_changes(db->sql);
	return 0;
}

static int add_all(struct db *db, struct db_merged *out)
{
	int64_t all = 0, sittings;

	if (add(db, add_devices, &out->devices) < 0 ||
	    add(db, add_toolchains, &out->toolchains) < 0 ||
	    add(db, add_tasks, &out->tasks) < 0 || add(db, add_campaigns, &out->campaigns) < 0 ||
	    add(db, add_sittings, &sittings) < 0 ||
	    sql_int(db, merging, &all, "SELECT count(*) FROM other.records", "") < 0 ||
	    add(db, add_records, &out->records) < 0 || add(db, add_rounds, &out->rounds) < 0)
		return -1;
	out->duplicates = all - out->records;
	return 0;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

int db_merge(struct db *db, const char *from, struct db_merged *out)
{
	*out = (struct db_merged){ 0 };
	if (same_file(db->path, from))
		return err_set("%s: %s is the database itself: name another one", merging, from);
	/* Opened as any other first: it must be a database of this version, and with its log in
	 * order, which the read-only attachment could not see to. */
	struct db *other = db_open(from, DB_READ);

	if (!other)
		return -1;
	char *uri = sql_uri(from, strstr(other->access, "immutable") ? other->access : "mode=ro");
	int rc = sql_run(db, merging, "ATTACH ? AS other", "t", uri);

	free(uri);
	if (rc == 0) {
		rc = sql_begin(db, merging);
		if (rc == 0)
			rc = sql_end(db, merging, add_all(db, out));
		sqlite3_exec(db->sql, "DETACH other", NULL, NULL, NULL);
	}
	db_close(other);
	if (rc < 0)
		*out = (struct db_merged){ 0 };
	return rc;
}
