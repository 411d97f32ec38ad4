/* SPDX-License-Identifier: Apache-2.0 */
/* db/model.c - snapshots of cost models: the newest of each campaign, for the next one to start
 * from. */
#include "db/sql.h"

#include <assert.h>

#include "base/file.h"

int model_save(struct db *db, const char *what, int64_t campaign, const struct db_model *m)
{
	static const char insert[] =
		"INSERT INTO models (device, campaign, kind, features, created, learned, samples,"
		" recall, rank, accuracy, data)"
		" VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)" MODEL_REPLACES;
	struct db_quality q = quality_known(m->quality);

	assert(m->data && m->bytes);
	return sql_run(db, what, insert, "iittiiidddb", m->device, campaign, m->kind, m->features,
		       m->created ? m->created : clock_wall(), m->learned, q.samples, q.recall,
		       q.rank, q.accuracy, m->data, m->bytes);
}

/* The first model of KIND and FEATURES for which CONDITION on ?1, which is OWNER, holds. */
static int find(struct db *db, struct arena *a, const char *condition, int64_t owner,
		const char *kind, const char *features, struct db_model *out)
{
	static const char what[] = "reading a cost model";
	char *sql = arena_printf(
		a, "SELECT id, device, campaign, kind, features, created, learned, data, samples,"
		   " recall, rank, accuracy FROM models WHERE %s AND kind = ?2 AND features = ?3"
		   " ORDER BY created DESC, id DESC LIMIT 1", condition);
	sqlite3_stmt *stmt = sql_prepare(db, what, sql, "itt", owner, kind, features);

	if (!stmt)
		return -1;
	int rc = sql_step(db, what, &stmt);

	if (rc > 0) {
		const void *data = sqlite3_column_blob(stmt, 7);
		size_t bytes = (size_t)sqlite3_column_bytes(stmt, 7);

		*out = (struct db_model){
			.id = sqlite3_column_int64(stmt, 0),
			.device = sqlite3_column_int64(stmt, 1),
			.campaign = sqlite3_column_int64(stmt, 2),
			.kind = sql_text(a, stmt, 3),
			.features = sql_text(a, stmt, 4),
			.created = sqlite3_column_int64(stmt, 5),
			.learned = sqlite3_column_int64(stmt, 6),
			.quality = quality_read(stmt, 8),
			.data = bytes ? arena_memdup(a, data, bytes) : "",
			.bytes = bytes,
		};
	}
	sqlite3_finalize(stmt);
	return rc;
}

int db_model_latest(struct db *db, struct arena *a, int64_t device, const char *kind,
		    const char *features, struct db_model *out)
{
	return find(db, a, "(?1 < 0 OR device = ?1)", device, kind, features, out);
}

int db_model_of(struct db *db, struct arena *a, int64_t campaign, const char *kind,
		const char *features, struct db_model *out)
{
	return find(db, a, "campaign = ?1", campaign, kind, features, out);
}
