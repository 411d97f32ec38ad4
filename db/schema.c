/* SPDX-License-Identifier: Apache-2.0 */
/* db/schema.c - the tables, as the list of changes that made them.
 *
 * A released entry is never edited: a change is a new entry at the end. A file keeps the number of
 * entries it went through in `user_version`, and when each was applied in `migrations`. */
#include "db/sql.h"

#include "base/clock.h"
#include "base/err.h"

static const char version_1[] =
	"CREATE TABLE migrations (version INTEGER PRIMARY KEY, what TEXT NOT NULL,"
	"	applied INTEGER NOT NULL);"
	"CREATE TABLE devices (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE,"
	"	description TEXT NOT NULL, created INTEGER NOT NULL);"
	"CREATE TABLE toolchains (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE tasks (id INTEGER PRIMARY KEY,"
	"	key TEXT NOT NULL UNIQUE CHECK (length(key) = 32),"
	"	name TEXT NOT NULL, text TEXT NOT NULL, flop REAL NOT NULL);"
	"CREATE TABLE statuses (name TEXT PRIMARY KEY) WITHOUT ROWID;"
	"INSERT INTO statuses VALUES ('ok'), ('build-error'), ('build-timeout'), ('crash'),"
	"	('timeout'), ('wrong'), ('lost-race');"
	"CREATE TABLE campaigns (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE,"
	"	device INTEGER NOT NULL REFERENCES devices, created INTEGER NOT NULL,"
	"	ended INTEGER, source TEXT NOT NULL, options TEXT NOT NULL, seed INTEGER NOT NULL,"
	"	state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped')),"
	"	rounds INTEGER NOT NULL DEFAULT 0, search BLOB);"
	"CREATE TABLE records (id INTEGER PRIMARY KEY,"
	"	task INTEGER NOT NULL REFERENCES tasks,"
	"	device INTEGER NOT NULL REFERENCES devices,"
	"	toolchain INTEGER NOT NULL REFERENCES toolchains,"
	"	campaign INTEGER REFERENCES campaigns, trial INTEGER NOT NULL,"
	"	final INTEGER NOT NULL CHECK (final IN (0, 1)),"
	"	threads INTEGER NOT NULL CHECK (threads > 0),"
	"	steps TEXT NOT NULL, steps_hash TEXT NOT NULL,"
	"	status TEXT NOT NULL REFERENCES statuses, message TEXT NOT NULL,"
	"	samples BLOB NOT NULL, time_us REAL CHECK (time_us > 0 AND time_us < 9e999),"
	"	ratio REAL, counters TEXT NOT NULL,"
	"	cache TEXT NOT NULL CHECK (cache IN ('warm', 'cold')),"
	"	build_ms REAL NOT NULL, run_ms REAL NOT NULL, created INTEGER NOT NULL,"
	"	CHECK ((status = 'ok') = (time_us IS NOT NULL)));"
	"CREATE INDEX records_by_steps ON records"
	"	(task, device, toolchain, threads, steps_hash, created);"
	"CREATE INDEX records_by_campaign ON records (campaign);"
	/* The ok record that stands for a step list: no later run was ok, wrong or crashed. */
	"CREATE VIEW standing AS SELECT r.* FROM records r WHERE r.status = 'ok' AND NOT EXISTS ("
	"	SELECT 1 FROM records n WHERE n.task = r.task AND n.device = r.device"
	"	AND n.toolchain = r.toolchain AND n.threads = r.threads"
	"	AND n.steps_hash = r.steps_hash AND n.cache = r.cache"
	"	AND n.status IN ('ok', 'wrong', 'crash')"
	"	AND (n.created, n.id) > (r.created, r.id));";

static const char version_2[] =
	/* Seconds and figures of quality are null where they are not known. */
	"CREATE TABLE rounds (campaign INTEGER NOT NULL REFERENCES campaigns,"
	"	number INTEGER NOT NULL CHECK (number > 0),"
	"	task INTEGER NOT NULL REFERENCES tasks, created INTEGER NOT NULL,"
	"	trials INTEGER NOT NULL CHECK (trials >= 0),"
	"	failed INTEGER NOT NULL CHECK (failed >= 0),"
	"	refused INTEGER NOT NULL CHECK (refused >= 0),"
	"	best_us REAL CHECK (best_us > 0 AND best_us < 9e999),"
	"	search_s REAL CHECK (search_s >= 0), learn_s REAL CHECK (learn_s >= 0),"
	"	build_s REAL CHECK (build_s >= 0), run_s REAL CHECK (run_s >= 0),"
	"	verify_s REAL CHECK (verify_s >= 0), wait_s REAL CHECK (wait_s >= 0),"
	"	samples INTEGER NOT NULL, recall REAL, rank REAL, accuracy REAL,"
	"	PRIMARY KEY (campaign, number));"
	"CREATE TABLE models (id INTEGER PRIMARY KEY,"
	"	device INTEGER NOT NULL REFERENCES devices,"
	"	campaign INTEGER REFERENCES campaigns, kind TEXT NOT NULL,"
	"	features TEXT NOT NULL, created INTEGER NOT NULL,"
	"	learned INTEGER NOT NULL, samples INTEGER NOT NULL,"
	"	recall REAL, rank REAL, accuracy REAL, data BLOB NOT NULL);"
	/* One of a kind for each campaign, and for each device outside of any. */
	"CREATE UNIQUE INDEX models_by_owner ON models (kind, coalesce(campaign, -device));"
	"ALTER TABLE campaigns ADD COLUMN seen INTEGER;"
	"UPDATE campaigns SET seen = coalesce((SELECT max(created) FROM records r"
	"	WHERE r.campaign = campaigns.id), created);"
	/* What a device measured last, without sorting all it ever did. */
	"CREATE INDEX records_by_device ON records (device, created);";

/* Models are learned again from records: what a file from elsewhere says of one is read by nobody. */
static const char version_3[] = "DROP TABLE models;";
static const char version_4[] =
	/* What a figure rests on; null where the hone of its time did not keep it. */
	"ALTER TABLE records ADD COLUMN source_hash TEXT;"
	"ALTER TABLE records ADD COLUMN hone TEXT;"
	"ALTER TABLE records ADD COLUMN others INTEGER CHECK (others >= 0);"
	"ALTER TABLE records ADD COLUMN counted TEXT;"
	"ALTER TABLE records ADD COLUMN estimate INTEGER NOT NULL DEFAULT 0"
	"	CHECK (estimate IN (0, 1));"
	"UPDATE records SET estimate = 1 WHERE message = 'answered by a stand-in';"
	/* Which of two records came later, whatever the clocks said: a record gets one more than
	 * the highest in its file, and keeps it when files are merged (Lamport 1978). */
	"ALTER TABLE records ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;"
	"UPDATE records SET seq = id;"
	"CREATE INDEX records_by_seq ON records (seq);"
	"DROP INDEX records_by_steps;"
	"CREATE INDEX records_by_steps ON records"
	"	(task, device, toolchain, threads, steps_hash, seq);"
	"DROP INDEX records_by_device;"
	"CREATE INDEX records_by_device ON records (device, seq);"
	/* The ok record that stands for a step list: a measurement before an estimate, a confirmed
	 * one before a trial, then the latest; of two files that did not know of each other the
	 * slower. None where a later run was wrong or crashed. */
	"DROP VIEW standing;"
	"CREATE VIEW standing AS SELECT r.* FROM records r WHERE r.status = 'ok' AND NOT EXISTS ("
	"	SELECT 1 FROM records n WHERE n.task = r.task AND n.device = r.device"
	"	AND n.toolchain = r.toolchain AND n.threads = r.threads"
	"	AND n.steps_hash = r.steps_hash AND n.cache = r.cache"
	"	AND CASE n.status"
	"	WHEN 'ok' THEN (r.estimate, n.final, n.seq, n.time_us, n.id)"
	"		> (n.estimate, r.final, r.seq, r.time_us, r.id)"
	"	WHEN 'wrong' THEN n.estimate <= r.estimate AND n.seq >= r.seq"
	"	WHEN 'crash' THEN n.estimate <= r.estimate AND n.seq >= r.seq"
	"	ELSE 0 END);";

static const char version_5[] =
	/* A run of a process on a campaign, and how fast the device was then: db/db.h has the units;
	 * null is what is not known. */
	"CREATE TABLE sittings (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE,"
	"	campaign INTEGER NOT NULL REFERENCES campaigns, host TEXT NOT NULL,"
	"	pid INTEGER NOT NULL, began INTEGER NOT NULL, ended INTEGER,"
	"	fixed_us REAL CHECK (fixed_us > 0), probed INTEGER,"
	"	peak_one REAL CHECK (peak_one > 0), peak_all REAL CHECK (peak_all > 0),"
	"	l1_one REAL CHECK (l1_one > 0), l1_all REAL CHECK (l1_all > 0),"
	"	l2_one REAL CHECK (l2_one > 0), l2_all REAL CHECK (l2_all > 0),"
	"	mem_one REAL CHECK (mem_one > 0), mem_all REAL CHECK (mem_all > 0));"
	"CREATE INDEX sittings_by_campaign ON sittings (campaign);"
	"ALTER TABLE records ADD COLUMN sitting INTEGER REFERENCES sittings;";

static const char version_6[] =
	/* A third state of the caches, that of a model which runs; sqlite cannot change a CHECK, so
	 * the names become a table, and the records move. */
	"CREATE TABLE caches (name TEXT PRIMARY KEY) WITHOUT ROWID;"
	"INSERT INTO caches VALUES ('warm'), ('cold'), ('model');"
	"DROP VIEW standing;"
	"CREATE TABLE moved (id INTEGER PRIMARY KEY,"
	"	task INTEGER NOT NULL REFERENCES tasks,"
	"	device INTEGER NOT NULL REFERENCES devices,"
	"	toolchain INTEGER NOT NULL REFERENCES toolchains,"
	"	campaign INTEGER REFERENCES campaigns, trial INTEGER NOT NULL,"
	"	final INTEGER NOT NULL CHECK (final IN (0, 1)),"
	"	threads INTEGER NOT NULL CHECK (threads > 0),"
	"	steps TEXT NOT NULL, steps_hash TEXT NOT NULL,"
	"	status TEXT NOT NULL REFERENCES statuses, message TEXT NOT NULL,"
	"	samples BLOB NOT NULL, time_us REAL CHECK (time_us > 0 AND time_us < 9e999),"
	"	ratio REAL, counters TEXT NOT NULL,"
	"	cache TEXT NOT NULL REFERENCES caches,"
	"	build_ms REAL NOT NULL, run_ms REAL NOT NULL, created INTEGER NOT NULL,"
	"	source_hash TEXT, hone TEXT, others INTEGER CHECK (others >= 0), counted TEXT,"
	"	estimate INTEGER NOT NULL DEFAULT 0 CHECK (estimate IN (0, 1)),"
	"	seq INTEGER NOT NULL DEFAULT 0, sitting INTEGER REFERENCES sittings,"
	"	CHECK ((status = 'ok') = (time_us IS NOT NULL)));"
	"INSERT INTO moved SELECT id, task, device, toolchain, campaign, trial, final, threads,"
	"	steps, steps_hash, status, message, samples, time_us, ratio, counters, cache,"
	"	build_ms, run_ms, created, source_hash, hone, others, counted, estimate, seq,"
	"	sitting FROM records;"
	"DROP TABLE records;"
	"ALTER TABLE moved RENAME TO records;"
	"CREATE INDEX records_by_campaign ON records (campaign);"
	"CREATE INDEX records_by_seq ON records (seq);"
	"CREATE INDEX records_by_steps ON records"
	"	(task, device, toolchain, threads, steps_hash, seq);"
	"CREATE INDEX records_by_device ON records (device, seq);"
	/* As before; and what was wrong or crashed alone stands in no model either. */
	"CREATE VIEW standing AS SELECT r.* FROM records r WHERE r.status = 'ok' AND NOT EXISTS ("
	"	SELECT 1 FROM records n WHERE n.task = r.task AND n.device = r.device"
	"	AND n.toolchain = r.toolchain AND n.threads = r.threads"
	"	AND n.steps_hash = r.steps_hash"
	"	AND (n.cache = r.cache OR (r.cache = 'model' AND n.status <> 'ok'))"
	"	AND CASE n.status"
	"	WHEN 'ok' THEN (r.estimate, n.final, n.seq, n.time_us, n.id)"
	"		> (n.estimate, r.final, r.seq, r.time_us, r.id)"
	"	WHEN 'wrong' THEN n.estimate <= r.estimate AND n.seq >= r.seq"
	"	WHEN 'crash' THEN n.estimate <= r.estimate AND n.seq >= r.seq"
	"	ELSE 0 END);";

static const char version_7[] =
	/* Seconds of compiling that other phases hid; null where they are not known. */
	"ALTER TABLE rounds ADD COLUMN beside_s REAL CHECK (beside_s >= 0);";

static const char version_8[] =
	/* Of a log from elsewhere: a time that nobody took here (db/import.c). */
	"ALTER TABLE records ADD COLUMN imported INTEGER NOT NULL DEFAULT 0"
	"	CHECK (imported IN (0, 1));"
	/* As before, but what was found here stands above what is said elsewhere, whatever came
	 * later, and no failure elsewhere fells it. */
	"DROP VIEW standing;"
	"CREATE VIEW standing AS SELECT r.* FROM records r WHERE r.status = 'ok' AND NOT EXISTS ("
	"	SELECT 1 FROM records n WHERE n.task = r.task AND n.device = r.device"
	"	AND n.toolchain = r.toolchain AND n.threads = r.threads"
	"	AND n.steps_hash = r.steps_hash"
	"	AND (n.cache = r.cache OR (r.cache = 'model' AND n.status <> 'ok'))"
	"	AND CASE n.status"
	"	WHEN 'ok' THEN (r.estimate, r.imported, n.final, n.seq, n.time_us, n.id)"
	"		> (n.estimate, n.imported, r.final, r.seq, r.time_us, r.id)"
	"	ELSE n.status IN ('wrong', 'crash') AND n.estimate <= r.estimate"
	"		AND (n.imported < r.imported OR (n.imported = r.imported AND n.seq >= r.seq))"
	"	END);";

static const char version_9[] =
	/* What people call a campaign and note of it. A name need not be the only one of its kind: files
	 * that are merged know nothing of each other's. */
	"ALTER TABLE campaigns ADD COLUMN name TEXT;"
	"ALTER TABLE campaigns ADD COLUMN note TEXT NOT NULL DEFAULT '';";

static const char version_10[] =
	/* When a name or a note was given or taken away last, so that files that differ agree. */
	"ALTER TABLE campaigns ADD COLUMN named INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE campaigns ADD COLUMN noted INTEGER NOT NULL DEFAULT 0;"
	"CREATE INDEX campaigns_by_name ON campaigns (name, named, uid);"
	/* What a campaign is called. A file calls no two alike: of several that were given one name in files
	 * that knew nothing of each other it is that of the first, and others have part of their uid behind
	 * it. What follows from names and uids alone is the same in whatever order files are merged, and a name
	 * is whole again when the one before it is gone. */
	"CREATE VIEW labels AS SELECT c.id, CASE WHEN EXISTS (SELECT 1 FROM campaigns b"
	"	WHERE b.name = c.name AND (b.named, b.uid) < (c.named, c.uid))"
	"	THEN c.name || '~' || substr(c.uid, 1, 8) ELSE c.name END AS label FROM campaigns c;";

static const char version_11[] =
	/* Times of kernels whose constants come from memory each time. */
	"INSERT INTO caches VALUES ('cold-weights');";

const struct migration db_migrations[] = {
	{ "devices, toolchains, tasks, records, campaigns", version_1 },
	{ "rounds of campaigns, cost models", version_2 },
	{ "no cost models", version_3 },
	{ "what figures rest on, the order of records", version_4 },
	{ "sittings of campaigns, with the speed of the device", version_5 },
	{ "times of kernels inside models", version_6 },
	{ "what rounds compiled beside measuring", version_7 },
	{ "records from elsewhere", version_8 },
	{ "names of campaigns, notes", version_9 },
	{ "when campaigns were named, no two alike", version_10 },
	{ "times of kernels with cold weights", version_11 },
};
const int db_migration_count = (int)(sizeof(db_migrations) / sizeof(db_migrations[0]));

int db_version(void)
{
	return db_migration_count;
}

int schema_identify(struct db *db, int n, bool *empty)
{
	static const char what[] = "opening the database";
	int64_t application = 0, version = 0, tables = 0;

	/* One transaction: another process may be making the file at this moment. */
	if (sql_run(db, what, "BEGIN", "") < 0)
		return -1;
	int rc = sql_int(db, what, &application, "PRAGMA application_id", "");

	if (rc >= 0)
		rc = sql_int(db, what, &version, "PRAGMA user_version", "");
	if (rc >= 0)
		rc = sql_int(db, what, &tables, "SELECT count(*) FROM sqlite_master", "");
	if (sql_end(db, what, rc) < 0)
		return -1;
	*empty = application == 0 && version == 0 && tables == 0;
	if (*empty) {
		if (db->mode == DB_WRITE)
			return 0;
		return err_set("%s: %s is empty: give the path of a database that `hone tune` "
			       "wrote",
			       what, db->path);
	}
	if (application != DB_APPLICATION_ID)
		return err_set("%s: %s is a database of another program: give another path", what,
			       db->path);
	if (version > n)
		return err_set("%s: %s was written by a newer hone (schema %d, this one knows up "
			       "to %d): use that hone, or another file",
			       what, db->path, (int)version, n);
	if (version < n && db->mode == DB_READ)
		return err_set("%s: %s was written by an older hone (schema %d, this one reads "
			       "%d): run `hone db upgrade %s`",
			       what, db->path, (int)version, n, db->path);
	return 0;
}

/* PRAGMA takes no bound values. */
static int set_pragma(struct db *db, const char *what, const char *name, int value)
{
	struct text sql = { 0 };

	text_printf(&sql, "PRAGMA %s = %d", name, value);
	int rc = sql_run(db, what, sql.s, "");

	text_free(&sql);
	return rc;
}

static int apply(struct db *db, const struct migration *m, int version)
{
	static const char what[] = "upgrading the database";

	if (sqlite3_exec(db->sql, m->sql, NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(db, what);
	if (set_pragma(db, what, "application_id", DB_APPLICATION_ID) < 0 ||
	    set_pragma(db, what, "user_version", version) < 0)
		return -1;
	return sql_run(db, what, "INSERT INTO migrations VALUES (?, ?, ?)", "iti",
		       (int64_t)version, m->what, clock_wall());
}

int schema_upgrade(struct db *db, const struct migration *m, int n)
{
	static const char what[] = "upgrading the database";
	int64_t version = 0;

	if (sql_int(db, what, &version, "PRAGMA user_version", "") < 0)
		return -1;
	if (version >= n)
		return 0;
	/* All in one transaction: who reads meanwhile sees the file as it was or as it will be. */
	if (sql_begin(db, what) < 0)
		return -1;
	/* Again, under the lock: another process may have upgraded just now. */
	int rc = sql_int(db, what, &version, "PRAGMA user_version", "");

	while (rc >= 0 && version < n) {
		rc = apply(db, &m[version], (int)version + 1);
		version++;
	}
	return sql_end(db, what, rc);
}
