/* SPDX-License-Identifier: Apache-2.0 */
/* db/outcome.c - each campaign's first and best times, in one statement for all. */
#include "db/outcome.h"

#include "db/sql.h"

static const char reading[] = "reading what campaigns came to";

#define OWN "r.campaign IS NOT NULL AND (?1 = 0 OR r.campaign = ?1)"
#define TIMED OWN " AND r.status = 'ok' AND r.cache <> 'model'"

static const char sql[] =
	"WITH trials AS (SELECT campaign, task, sum(final = 0) AS n,"
	"	sum(final = 0 AND status NOT IN ('ok', 'lost-race')) AS failed"
	"	FROM records r WHERE " OWN " GROUP BY campaign, task),"
	/* sqlite takes the other columns from the row that has the least */
	" first AS (SELECT campaign, task, time_us, estimate, min(seq) FROM records r WHERE " TIMED
	"	AND final = 0 GROUP BY campaign, task),"
	/* of a kernel what stands, as the view "standing" has it, among these records */
	" kernels AS (SELECT *, row_number() OVER (PARTITION BY campaign, task, device, toolchain, threads,"
	"	cache, steps_hash ORDER BY estimate, final DESC, seq DESC, time_us DESC, id DESC) AS place"
	"	FROM records r WHERE " TIMED " AND NOT EXISTS (SELECT 1 FROM records n WHERE n.task = r.task"
	"	AND n.device = r.device AND n.toolchain = r.toolchain AND n.threads = r.threads"
	"	AND n.steps_hash = r.steps_hash AND n.campaign = r.campaign AND n.status IN ('wrong', 'crash')"
	"	AND n.estimate <= r.estimate AND n.seq >= r.seq)),"
	" best AS (SELECT *, row_number() OVER (PARTITION BY campaign, task ORDER BY estimate, final DESC,"
	"	time_us, id) AS rank FROM kernels WHERE place = 1)"
	" SELECT t.campaign, k.key, t.n, t.failed, f.time_us, b.time_us, b.final = 1 AND b.estimate = 0,"
	"	max(coalesce(f.estimate, 0), coalesce(b.estimate, 0))"
	" FROM trials t JOIN tasks k ON k.id = t.task"
	" LEFT JOIN first f ON f.campaign = t.campaign AND f.task = t.task"
	" LEFT JOIN best b ON b.campaign = t.campaign AND b.task = t.task AND b.rank = 1"
	" ORDER BY t.campaign, t.task";

int db_outcomes(struct db *db, struct arena *a, int64_t campaign, struct db_outcome_vec *out)
{
	sqlite3_stmt *stmt = sql_prepare(db, reading, sql, "i", campaign);
	int rc;

	*out = (struct db_outcome_vec){ 0 };
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, reading, &stmt)) > 0)
		vec_push(a, out, (struct db_outcome){
			.campaign = sqlite3_column_int64(stmt, 0),
			.task_key = sql_text(a, stmt, 1),
			.trials = sqlite3_column_int64(stmt, 2),
			.failed = sqlite3_column_int64(stmt, 3),
			.first_us = sqlite3_column_double(stmt, 4),
			.best_us = sqlite3_column_double(stmt, 5),
			.confirmed = sqlite3_column_int(stmt, 6) != 0,
			.estimate = sqlite3_column_int(stmt, 7) != 0,
		});
	return rc;
}
