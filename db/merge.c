/* SPDX-License-Identifier: Apache-2.0 */
/* db/merge.c - takes in another database, whole or not at all.
 *
 * In:   two databases, each with what it says of devices, toolchains, tasks, campaigns, records.
 * Out:  in the first, what either says: of two that differ about one thing, the one that is greater
 *       by an order that does not depend on which file it is in.
 * Holds: the same files, merged in any order and any number of times, give the same content, but for
 *        row ids and for a campaign that a process is at work on here: its row and its rounds stay.
 *
 * Things of two files are the same by their identity: fingerprint, toolchain text, task key, uid of a
 * campaign or sitting; records by all that they say, for none is ever changed. Row ids never travel;
 * the numbers by which records supersede each other do. */
#include "db/sql.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"

static const char merging[] = "merging";

/* The row here of what row COLUMN names there, by IDENTITY; null for none. */
#define HERE(table, identity, column)                                                              \
	"(SELECT h.id FROM main." table " h JOIN other." table " t ON t." identity " = h." identity \
	" WHERE t.id = " column ")"
/* An UPDATE of rows of TABLE that both files know, N here and O there. */
#define KNOWN_IN_BOTH(table, identity) " FROM other." table " o WHERE o." identity " = n." identity " AND "

static const char add_toolchains[] =
	"INSERT INTO main.toolchains (text) SELECT text FROM other.toolchains WHERE text NOT IN"
	" (SELECT text FROM main.toolchains) ORDER BY id";

static const char add_devices[] =
	"INSERT INTO main.devices (fingerprint, description, created)"
	" SELECT fingerprint, description, created FROM other.devices WHERE fingerprint NOT IN"
	" (SELECT fingerprint FROM main.devices) ORDER BY id";
/* The description that was probed last. */
#define PROBED(x)                                                                                  \
	"(CASE WHEN json_valid(" x ".description)"                                                 \
	" THEN coalesce(json_extract(" x ".description, '$.measured.when'), 0) ELSE 0 END, "       \
	x ".description)"
static const char describe_devices[] =
	"UPDATE main.devices AS n SET description = o.description" KNOWN_IN_BOTH("devices", "fingerprint")
	PROBED("o") " > " PROBED("n");
static const char date_devices[] =
	"UPDATE main.devices AS n SET created = o.created" KNOWN_IN_BOTH("devices", "fingerprint")
	"o.created < n.created";

static const char add_tasks[] =
	"INSERT INTO main.tasks (key, name, text, flop) SELECT key, name, text, flop"
	" FROM other.tasks WHERE key NOT IN (SELECT key FROM main.tasks) ORDER BY id";
static const char name_tasks[] =
	"UPDATE main.tasks AS n SET name = o.name, text = o.text, flop = o.flop" KNOWN_IN_BOTH("tasks", "key")
	"(o.name, o.text, o.flop) < (n.name, n.text, n.flop)";

/* What of a campaign changes while it lasts, and which of two states of it is the later one. Of one
 * that went on in both files that is the longer one; its rounds and its state of the search belong
 * together. */
#define CAMPAIGN_CHANGES "ended, state, rounds, search, seen"
#define PROGRESS(x)                                                                                \
	"(" x ".rounds, " x ".state = 'done', coalesce(" x ".seen, " x ".created),"                \
	" coalesce(" x ".ended, 0), " x ".state, coalesce(" x ".search, x''))"
static const char add_campaigns[] =
	"INSERT INTO main.campaigns (uid, device, created, source, options, seed, name, note, " CAMPAIGN_CHANGES ")"
	" SELECT uid, " HERE("devices", "fingerprint", "c.device") ", created, source, options, seed, name, note, "
	CAMPAIGN_CHANGES " FROM other.campaigns c WHERE uid NOT IN (SELECT uid FROM main.campaigns)"
	" ORDER BY id";
#define IS_LATER_THERE PROGRESS("o") " > " PROGRESS("n") " AND NOT is_held(n.id)"
static const char drop_rounds[] =
	"DELETE FROM main.rounds WHERE campaign IN (SELECT n.id FROM main.campaigns n"
	" JOIN other.campaigns o ON o.uid = n.uid WHERE " IS_LATER_THERE ")";
static const char go_on_with_campaigns[] =
	"UPDATE main.campaigns AS n SET (" CAMPAIGN_CHANGES ") = (SELECT " CAMPAIGN_CHANGES
	" FROM other.campaigns t WHERE t.uid = n.uid)" KNOWN_IN_BOTH("campaigns", "uid") IS_LATER_THERE;

/* Of two names of one campaign the one that is later in the alphabet, so that it is the same in whatever order files
 * come together; and any name rather than none. So with notes. */
static const char label_campaigns[] =
	"UPDATE main.campaigns AS n SET name = nullif(max(coalesce(n.name, ''), coalesce(o.name, '')), ''),"
	" note = max(n.note, o.note)" KNOWN_IN_BOTH("campaigns", "uid")
	"(coalesce(o.name, '') > coalesce(n.name, '') OR o.note > n.note)";

#define ROUND_SAYS                                                                                 \
	"number, created, trials, failed, refused, best_us, search_s, learn_s, build_s, run_s,"    \
	" verify_s, wait_s, samples, recall, rank, accuracy, beside_s"
static const char add_rounds[] =
	"INSERT INTO main.rounds (campaign, task, " ROUND_SAYS ") SELECT"
	" " HERE("campaigns", "uid", "r.campaign") " AS here, " HERE("tasks", "key", "r.task") ", "
	ROUND_SAYS " FROM other.rounds r WHERE r.campaign IN (SELECT o.id FROM other.campaigns o"
	" JOIN main.campaigns n ON n.uid = o.uid WHERE " PROGRESS("o") " = " PROGRESS("n") ")"
	" AND NOT EXISTS (SELECT 1 FROM main.rounds m WHERE m.campaign = here AND m.number = r.number)";

#define SITTING_SAYS                                                                               \
	"uid, host, pid, began, ended, fixed_us, probed, peak_one, peak_all, l1_one, l1_all,"      \
	" l2_one, l2_all, mem_one, mem_all"
static const char add_sittings[] =
	"INSERT INTO main.sittings (campaign, " SITTING_SAYS ") SELECT"
	" " HERE("campaigns", "uid", "s.campaign") ", " SITTING_SAYS
	" FROM other.sittings s WHERE uid NOT IN (SELECT uid FROM main.sittings) ORDER BY id";
static const char end_sittings[] =
	"UPDATE main.sittings AS n SET ended = o.ended" KNOWN_IN_BOTH("sittings", "uid")
	"o.ended > coalesce(n.ended, 0)";

#define RECORD_NAMES "task, device, toolchain, campaign, sitting, "
#define RECORD_SAYS                                                                                \
	"trial, final, threads, steps, steps_hash, status, message, samples, time_us, ratio,"      \
	" counters, cache, build_ms, run_ms, created, others, estimate, source_hash, hone,"        \
	" counted, seq, imported"
static const char add_records[] =
	"INSERT INTO main.records (" RECORD_NAMES RECORD_SAYS ") SELECT"
	" " HERE("tasks", "key", "r.task") ", " HERE("devices", "fingerprint", "r.device") ","
	" " HERE("toolchains", "text", "r.toolchain") ", " HERE("campaigns", "uid", "r.campaign") ","
	" " HERE("sittings", "uid", "r.sitting") ", " RECORD_SAYS " FROM other.records r"
	" EXCEPT SELECT " RECORD_NAMES RECORD_SAYS " FROM main.records ORDER BY seq, steps_hash";

/* In the order in which one refers to another. */
static int add_all(struct db *db, struct db_merged *out)
{
	const struct merge_part {
		const char *sql;
		int64_t *n;	/* rows that it added; NULL: nobody asks */
	} parts[] = {
		{ add_devices, &out->devices },
		{ describe_devices, NULL },
		{ date_devices, NULL },
		{ add_toolchains, &out->toolchains },
		{ add_tasks, &out->tasks },
		{ name_tasks, NULL },
		{ add_campaigns, &out->campaigns },
		{ drop_rounds, NULL },
		{ go_on_with_campaigns, NULL },
		{ label_campaigns, NULL },
		{ add_rounds, &out->rounds },
		{ add_sittings, NULL },
		{ end_sittings, NULL },
		{ add_records, &out->records },
	};
	int64_t all = 0, dropped = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (sql_run(db, merging, parts[i].sql, "") < 0)
			return -1;
		if (parts[i].n)
			*parts[i].n = sqlite3_changes(db->sql);
	}
	if (sql_int(db, merging, &all, "SELECT count(*) FROM other.records", "") < 0 ||
	    records_drop_hearsay(db, merging, &dropped) < 0)
		return -1;
	out->records -= dropped;
	out->duplicates = all - out->records;
	return 0;
}

/* SQL's is_held(id): whether a process is at work on that campaign of the main file. */
static void is_held(sqlite3_context *context, int n, sqlite3_value **args)
{
	const struct db *db = sqlite3_user_data(context);

	(void)n;
	sqlite3_result_int(context, hold_is_taken(db, sqlite3_value_int64(args[0])));
}

/* Nobody begins or takes a campaign meanwhile. */
static int add_behind_gate(struct db *db, struct db_merged *out)
{
	if (sqlite3_create_function(db->sql, "is_held", 1, SQLITE_UTF8, db, is_held, NULL, NULL) != SQLITE_OK)
		return sql_error(db, merging);
	if (hold_enter(db) < 0)
		return -1;
	int rc = sql_begin(db, merging);

	if (rc == 0)
		rc = sql_end(db, merging, add_all(db, out));
	hold_leave(db);
	return rc;
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
		rc = add_behind_gate(db, out);
		sqlite3_exec(db->sql, "DETACH other", NULL, NULL, NULL);
	}
	db_close(other);
	if (rc < 0)
		*out = (struct db_merged){ 0 };
	return rc;
}
