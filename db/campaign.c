/* SPDX-License-Identifier: Apache-2.0 */
/* db/campaign.c - a campaign's life: started, gone on with after a stop or a kill, ended; and that
 * one process at a time works on it. */
#include "db/sql.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "db/label.h"

static const char *const names[] = {
	[CAMPAIGN_RUNNING] = "running",
	[CAMPAIGN_DONE] = "done",
	[CAMPAIGN_STOPPED] = "stopped",
	[CAMPAIGN_KILLED] = "killed",
};

/* A process that was killed a moment ago may not be gone yet, and one that ends is about to. */
enum { PATIENCE_MS = 2000, POLL_MS = 20 };

const char *campaign_state_name(enum campaign_state s)
{
	return names[s];
}

static enum campaign_state state_of(const char *name)
{
	int i = 0;

	while (i < CAMPAIGN_STATE_COUNT - 1 && strcmp(names[i], name) != 0)
		i++;
	return (enum campaign_state)i;
}

/* Behind the gate, as take(). */
static int64_t start(struct db *db, const struct db_campaign *c)
{
	static const char what[] = "starting a campaign";

	if (sql_run(db, what,
		    "INSERT INTO campaigns (uid, device, created, seen, source, options, seed, state)"
		    " VALUES (lower(hex(randomblob(16))), ?1, ?2, ?2, ?3, ?4, ?5, 'running')",
		    "iitti", c->device, clock_wall(), c->source, c->options ? c->options : "{}",
		    (int64_t)c->seed) < 0)
		return -1;
	int64_t id = sqlite3_last_insert_rowid(db->sql);

	if (hold_take(db, id) < 0)
		return -1;
	db->campaign = id;
	db->sitting = 0;
	db->rounds = 0;
	return id;
}

#define COLUMNS                                                                                    \
	"SELECT id, uid, device, created, ended, source, options, seed, state, rounds,"            \
	" coalesce(seen, created), name, note, "

/* The row of COLUMNS and the search state, or NULL in its place. */
static struct db_campaign read_campaign(struct db *db, struct arena *a, sqlite3_stmt *stmt)
{
	struct db_campaign c = {
		.id = sqlite3_column_int64(stmt, 0),
		.uid = sql_text(a, stmt, 1),
		.device = sqlite3_column_int64(stmt, 2),
		.created = sqlite3_column_int64(stmt, 3),
		.ended = sqlite3_column_int64(stmt, 4),
		.source = sql_text(a, stmt, 5),
		.options = sql_text(a, stmt, 6),
		.seed = (uint64_t)sqlite3_column_int64(stmt, 7),
		.state = state_of(sql_text(a, stmt, 8)),
		.rounds = sqlite3_column_int64(stmt, 9),
		.seen = sqlite3_column_int64(stmt, 10),
	};
	const void *search = sqlite3_column_blob(stmt, 13);

	if (sqlite3_column_type(stmt, 11) != SQLITE_NULL)
		c.name = sql_text(a, stmt, 11);
	c.note = sql_text(a, stmt, 12);

	if (c.state == CAMPAIGN_RUNNING && c.id != db->campaign && !hold_is_taken(db, c.id))
		c.state = CAMPAIGN_KILLED;
	c.search_bytes = (size_t)sqlite3_column_bytes(stmt, 13);
	if (sqlite3_column_type(stmt, 13) != SQLITE_NULL)
		c.search = c.search_bytes ? arena_memdup(a, search, c.search_bytes)
					  : arena_alloc(a, 1);
	return c;
}

int db_campaign_find(struct db *db, struct arena *a, const char *source, const char *options,
		     int64_t device, struct db_campaign *out)
{
	static const char what[] = "looking for a campaign";
	sqlite3_stmt *stmt = sql_prepare(
		db, what,
		COLUMNS "search FROM campaigns WHERE source = ?1 AND (?2 IS NULL OR options = ?2)"
		" AND device = ?3"
		" ORDER BY created DESC, id DESC LIMIT 1",
		"tti", source, options, device);

	if (!stmt)
		return -1;
	int rc = sql_step(db, what, &stmt);

	if (rc > 0) {
		*out = read_campaign(db, a, stmt);
		rc = out->state != CAMPAIGN_DONE;
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* Behind the gate: 1 where it is ours, 0 where another process has it. */
static int take(struct db *db, const struct db_campaign *c)
{
	static const char what[] = "going on with a campaign";
	int taken = hold_take(db, c->id);

	if (taken <= 0)
		return taken;
	if (sql_run(db, what,
		    "UPDATE campaigns SET state = 'running', ended = NULL, seen = ?3"
		    " WHERE id = ?1 AND rounds = ?2 AND state <> 'done'",
		    "iii", c->id, c->rounds, clock_wall()) < 0)
		return -1;
	if (sqlite3_changes(db->sql) != 1)
		return err_set("%s: campaign %lld of %s has changed in the meantime: is another "
			       "process at work on it? start again",
			       what, (long long)c->id, db->path);
	db->campaign = c->id;
	db->sitting = 0;
	db->rounds = c->rounds;
	return 1;
}

/* Who has C, as a message. */
static int tell_holder(struct db *db, const struct db_campaign *c)
{
	struct arena *a = arena_new();
	struct db_sitting_vec v;
	const char *who = "another process";

	if (db_sittings(db, a, c->id, &v) == 0 && v.n > 0) {
		const struct db_sitting *s = &v.at[v.n - 1];
		time_t began = s->began;
		struct tm local;
		char since[32];

		strftime(since, sizeof(since), "%Y-%m-%d %H:%M", localtime_r(&began, &local));
		who = arena_printf(a, "process %lld on %s, since %s", (long long)s->pid, s->host,
				   since);
	}
	err_set("campaign %lld of %s (%s) is being worked on by %s: hone status looks on; give the "
		"command again when it has ended, or with --fresh for a campaign of its own",
		(long long)c->id, db->path, c->source, who);
	arena_free(a);
	return -1;
}

/* One attempt of db_campaign_enter. */
static enum db_entered enter(struct db *db, struct arena *a, const struct db_campaign *like,
			     bool fresh, struct db_campaign *out)
{
	int rc = fresh ? 0 : db_campaign_find(db, a, like->source, like->options, like->device, out);

	if (rc < 0 || (like->name && label_check_free(db, rc > 0 ? out->id : 0, like->name) < 0))
		return DB_ENTER_FAILED;
	if (rc > 0) {
		rc = take(db, out);
		return rc < 0 ? DB_ENTER_FAILED : rc == 0 ? DB_ENTER_HELD : DB_ENTER_OLD;
	}
	*out = *like;
	out->id = start(db, like);
	return out->id < 0 ? DB_ENTER_FAILED : DB_ENTER_NEW;
}

/* What LIKE has no name or note for stays as it is. */
static int label(struct db *db, int64_t id, const struct db_campaign *like)
{
	return (like->name && label_name(db, id, like->name) < 0) || (like->note && label_note(db, id, like->note) < 0)
		       ? -1 : 0;
}

enum db_entered db_campaign_enter(struct db *db, struct arena *a, const struct db_campaign *like,
				  bool fresh, const struct db_calibration *now,
				  struct db_campaign *out)
{
	enum db_entered entered = DB_ENTER_HELD;

	for (int ms = 0; entered == DB_ENTER_HELD && ms <= PATIENCE_MS; ms += POLL_MS) {
		if (ms > 0)
			sqlite3_sleep(POLL_MS);
		if (hold_enter(db) < 0)
			return DB_ENTER_FAILED;
		entered = enter(db, a, like, fresh, out);
		if (entered >= DB_ENTER_NEW && (label(db, out->id, like) < 0 || sitting_begin(db, now) < 0))
			entered = DB_ENTER_FAILED;
		hold_leave(db);
	}
	if (entered == DB_ENTER_HELD)
		tell_holder(db, out);
	return entered;
}

int db_campaign_end(struct db *db, int64_t id, enum campaign_state state)
{
	int64_t now = clock_wall();

	assert(state == CAMPAIGN_DONE || state == CAMPAIGN_STOPPED);
	if (sql_run(db, "ending a campaign",
		    "UPDATE campaigns SET state = ?, ended = ? WHERE id = ?", "tii", names[state],
		    now, id) < 0)
		return -1;
	if (db->campaign != id)
		return 0;
	int rc = sql_run(db, "ending a sitting", "UPDATE sittings SET ended = ? WHERE id = ?", "ii",
			 now, db->sitting);

	db->campaign = 0;
	db->sitting = 0;
	hold_drop(db);
	return rc;
}

int db_campaign(struct db *db, struct arena *a, int64_t id, struct db_campaign *out)
{
	static const char what[] = "reading a campaign";
	sqlite3_stmt *stmt =
		sql_prepare(db, what, COLUMNS "search FROM campaigns WHERE id = ?", "i", id);

	if (!stmt)
		return -1;
	int rc = sql_step(db, what, &stmt);

	if (rc > 0)
		*out = read_campaign(db, a, stmt);
	sqlite3_finalize(stmt);
	return rc;
}

int db_campaigns(struct db *db, struct arena *a, struct db_campaign_vec *out)
{
	static const char what[] = "reading the campaigns";
	sqlite3_stmt *stmt = sql_prepare(
		db, what,
		COLUMNS "NULL FROM campaigns ORDER BY created, id", "");
	int rc;

	*out = (struct db_campaign_vec){ 0 };
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0)
		vec_push(a, out, read_campaign(db, a, stmt));
	return rc;
}
