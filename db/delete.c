/* SPDX-License-Identifier: Apache-2.0 */
/* db/delete.c - campaigns and all that refers to them, in the order in which one refers to another. */
#include "db/delete.h"

#include "base/err.h"
#include "db/sql.h"

static const char deleting[] = "deleting campaigns";
static const char shrinking[] = "giving space back after deleting";

/* ?1 is a JSON array of ids. */
#define GOING " IN (SELECT value FROM json_each(?1))"
/* Of records r of these: it fells a kernel of somebody else's. */
#define PROVES                                                                                     \
	"(r.status IN ('wrong', 'crash') AND EXISTS (SELECT 1 FROM records k WHERE k.status = 'ok'" \
	" AND k.task = r.task AND k.device = r.device AND k.toolchain = r.toolchain"               \
	" AND k.threads = r.threads AND k.steps_hash = r.steps_hash"                               \
	" AND (k.campaign IS NULL OR NOT k.campaign" GOING ")))"

static const char *ids_json(struct arena *a, const int64_t *ids, int n)
{
	const char *list = "[";

	for (int i = 0; i < n; i++)
		list = arena_printf(a, "%s%s%lld", list, i ? "," : "", (long long)ids[i]);
	return arena_printf(a, "%s]", list);
}

static int count(struct db *db, const char *going, struct db_belongings *out)
{
	const struct {
		const char *sql;
		int64_t *n;
	} counts[] = {
		{ "SELECT count(*) FROM campaigns WHERE id" GOING, &out->campaigns },
		{ "SELECT count(*) FROM records r WHERE campaign" GOING " AND NOT " PROVES, &out->records },
		{ "SELECT count(*) FROM records r WHERE campaign" GOING " AND " PROVES, &out->kept },
		{ "SELECT count(*) FROM rounds WHERE campaign" GOING, &out->rounds },
		{ "SELECT count(*) FROM sittings WHERE campaign" GOING, &out->sittings },
	};

	*out = (struct db_belongings){ 0 };
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (sql_int(db, deleting, counts[i].n, counts[i].sql, "t", going) < 0)
			return -1;
	return 0;
}

int db_campaigns_belongings(struct db *db, const int64_t *ids, int n, struct db_belongings *out)
{
	struct arena *a = arena_new();
	int rc = sql_run(db, deleting, "BEGIN", "");

	if (rc == 0)
		rc = sql_end(db, deleting, count(db, ids_json(a, ids, n), out));
	arena_free(a);
	return rc;
}

static int remove_all(struct db *db, const char *going, struct db_belongings *out)
{
	static const char *const parts[] = {
		"UPDATE records AS r SET campaign = NULL, sitting = NULL WHERE campaign" GOING " AND " PROVES,
		"DELETE FROM records WHERE campaign" GOING,
		/* no record of another campaign should name one; a damaged file's may */
		"UPDATE records SET sitting = NULL WHERE sitting IN (SELECT id FROM sittings WHERE campaign" GOING ")",
		"DELETE FROM rounds WHERE campaign" GOING,
		"DELETE FROM sittings WHERE campaign" GOING,
		"DELETE FROM campaigns WHERE id" GOING,
	};

	if (count(db, going, out) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (sql_run(db, deleting, parts[i], "t", going) < 0)
			return -1;
	return 0;
}

/* Is one of them at work? Then -1, and the message says whose. */
static int check_idle(struct db *db, struct arena *a, const int64_t *ids, int n)
{
	for (int i = 0; i < n; i++)
		if (hold_is_taken(db, ids[i]))
			return err_set("campaign %lld of %s is being worked on by %s: end it first; nothing was deleted",
				       (long long)ids[i], db->path, sitting_who(db, a, ids[i]));
	return 0;
}

int db_campaigns_delete(struct db *db, const int64_t *ids, int n, struct db_belongings *out)
{
	/* behind the gate nobody takes one up meanwhile */
	if (hold_enter(db) < 0)
		return -1;
	struct arena *a = arena_new();
	int rc = check_idle(db, a, ids, n) < 0 ? -1 : sql_begin(db, deleting);

	if (rc == 0)
		rc = sql_end(db, deleting, remove_all(db, ids_json(a, ids, n), out));
	hold_leave(db);
	arena_free(a);
	return rc;
}

int db_shrink(struct db *db)
{
	return sql_shrink(db, shrinking);
}
