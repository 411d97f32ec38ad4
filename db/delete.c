/* SPDX-License-Identifier: Apache-2.0 */
/* db/delete.c - a campaign and all that refers to it, in the order in which one refers to another. */
#include "db/delete.h"

#include "base/err.h"
#include "db/sql.h"

static const char what[] = "deleting a campaign";

int db_campaign_belongings(struct db *db, int64_t id, struct db_belongings *out)
{
	const struct {
		const char *sql;
		int64_t *n;
	} counts[] = {
		{ "SELECT count(*) FROM records WHERE campaign = ?", &out->records },
		{ "SELECT count(*) FROM rounds WHERE campaign = ?", &out->rounds },
		{ "SELECT count(*) FROM sittings WHERE campaign = ?", &out->sittings },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (sql_int(db, what, counts[i].n, counts[i].sql, "i", id) < 0)
			return -1;
	return 0;
}

static int remove_all(struct db *db, int64_t id)
{
	static const char *const parts[] = {
		"DELETE FROM records WHERE campaign = ?1",
		/* of records of no campaign any more that name its sittings: there should be none */
		"UPDATE records SET sitting = NULL WHERE sitting IN (SELECT id FROM sittings WHERE campaign = ?1)",
		"DELETE FROM rounds WHERE campaign = ?1",
		"DELETE FROM sittings WHERE campaign = ?1",
		"DELETE FROM campaigns WHERE id = ?1",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (sql_run(db, what, parts[i], "i", id) < 0)
			return -1;
	return 0;
}

int db_campaign_delete(struct db *db, int64_t id)
{
	if (hold_enter(db) < 0)
		return -1;
	/* behind the gate: nobody takes it up meanwhile */
	int rc = hold_is_taken(db, id)
			 ? err_set("campaign %lld of %s is being worked on: end it first (`hone status` says by whom)",
				   (long long)id, db_path(db))
			 : sql_begin(db, what);

	if (rc == 0)
		rc = sql_end(db, what, remove_all(db, id));
	hold_leave(db);
	return rc;
}
