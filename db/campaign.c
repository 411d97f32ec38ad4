/* SPDX-License-Identifier: Apache-2.0 */
/* db/campaign.c - a campaign's life: started, gone on with after a stop or a kill, ended. */
#include "db/sql.h"

#include <assert.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"

static const char *const names[] = {
	[CAMPAIGN_RUNNING] = "running",
	[CAMPAIGN_DONE] = "done",
	[CAMPAIGN_STOPPED] = "stopped",
};

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

int64_t db_campaign_start(struct db *db, const struct db_campaign *c)
{
	static const char what[] = "starting a campaign";

	if (sql_run(db, what,
		    "INSERT INTO campaigns (uid, device, created, seen, source, options, seed, state)"
		    " VALUES (lower(hex(randomblob(16))), ?1, ?2, ?2, ?3, ?4, ?5, 'running')",
		    "iitti", c->device, clock_wall(), c->source, c->options ? c->options : "{}",
		    (int64_t)c->seed) < 0)
		return -1;
	db->campaign = sqlite3_last_insert_rowid(db->sql);
	db->rounds = 0;
	return db->campaign;
}

#define COLUMNS                                                                                    \
	"SELECT id, uid, device, created, ended, source, options, seed, state, rounds,"            \
	" coalesce(seen, created), "

/* The row of COLUMNS and the search state, or NULL in its place. */
static struct db_campaign read_campaign(struct arena *a, sqlite3_stmt *stmt)
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
	const void *search = sqlite3_column_blob(stmt, 11);

	c.search_bytes = (size_t)sqlite3_column_bytes(stmt, 11);
	if (sqlite3_column_type(stmt, 11) != SQLITE_NULL)
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
		*out = read_campaign(a, stmt);
		rc = out->state != CAMPAIGN_DONE;
	}
	sqlite3_finalize(stmt);
	return rc;
}

int db_campaign_resume(struct db *db, const struct db_campaign *c)
{
	static const char what[] = "going on with a campaign";

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
	db->rounds = c->rounds;
	return 0;
}

int db_campaign_end(struct db *db, int64_t id, enum campaign_state state)
{
	assert(state != CAMPAIGN_RUNNING);
	if (sql_run(db, "ending a campaign",
		    "UPDATE campaigns SET state = ?, ended = ? WHERE id = ?", "tii", names[state],
		    clock_wall(), id) < 0)
		return -1;
	if (db->campaign == id)
		db->campaign = 0;
	return 0;
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
		*out = read_campaign(a, stmt);
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
		vec_push(a, out, read_campaign(a, stmt));
	return rc;
}
