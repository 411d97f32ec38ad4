/* SPDX-License-Identifier: Apache-2.0 */
/* db/round.c - the diary of a campaign: what each batch cost, and how well it was foreseen. */
#include "db/sql.h"

#include <math.h>

#include "base/clock.h"

_Static_assert(PHASE_COUNT == 6, "the statements below name the column of each phase");

const char *round_phase_name(enum round_phase p)
{
	static const char *const names[] = {
#define X(name, text, meaning) [PHASE_##name] = text,
#include "db/phase.def"
#undef X
	};

	return names[p];
}

/* sqlite stores NAN as NULL. */
static double seconds(double s)
{
	return isfinite(s) && s >= 0 ? s : NAN;
}

/* All of it is unknown where nothing was compared. */
static struct db_quality quality_known(struct db_quality q)
{
	if (q.samples > 0)
		return q;
	return (struct db_quality){ 0, NAN, NAN, NAN };
}

int round_save(struct db *db, const char *what, const struct db_round *r)
{
	static const char insert[] =
		"INSERT INTO rounds (campaign, number, task, created, trials, failed, refused,"
		" best_us, search_s, learn_s, build_s, run_s, verify_s, wait_s, samples, recall,"
		" rank, accuracy, beside_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, 0), ?9,"
		" ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";
	const double *s = r->seconds;
	struct db_quality q = quality_known(r->quality);

	return sql_run(db, what, insert, "iiiiiiidddddddidddd", db->campaign, db->rounds + 1,
		       r->task, r->created ? r->created : clock_wall(), r->trials, r->failed,
		       r->refused, r->best_us, seconds(s[PHASE_SEARCH]), seconds(s[PHASE_LEARN]),
		       seconds(s[PHASE_BUILD]), seconds(s[PHASE_RUN]), seconds(s[PHASE_VERIFY]),
		       seconds(s[PHASE_WAIT]), q.samples, q.recall, q.rank, q.accuracy,
		       seconds(r->beside_s));
}

double sql_real(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(stmt, column);
}

/* From four columns: samples, recall, rank, accuracy. */
static struct db_quality quality_read(sqlite3_stmt *stmt, int column)
{
	return (struct db_quality){
		.samples = sqlite3_column_int64(stmt, column),
		.recall = sql_real(stmt, column + 1),
		.rank = sql_real(stmt, column + 2),
		.accuracy = sql_real(stmt, column + 3),
	};
}

int db_rounds(struct db *db, struct arena *a, int64_t campaign, struct db_round_vec *out)
{
	static const char what[] = "reading the rounds of a campaign";
	sqlite3_stmt *stmt = sql_prepare(
		db, what,
		"SELECT campaign, number, task, t.key, created, trials, failed, refused, best_us,"
		" samples, recall, rank, accuracy, search_s, learn_s, build_s, run_s, verify_s,"
		" wait_s, beside_s FROM rounds JOIN tasks t ON t.id = task WHERE campaign = ?"
		" ORDER BY number",
		"i", campaign);
	int rc;

	*out = (struct db_round_vec){ 0 };
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0) {
		struct db_round r = {
			.campaign = sqlite3_column_int64(stmt, 0),
			.number = sqlite3_column_int64(stmt, 1),
			.task = sqlite3_column_int64(stmt, 2),
			.task_key = sql_text(a, stmt, 3),
			.created = sqlite3_column_int64(stmt, 4),
			.trials = sqlite3_column_int64(stmt, 5),
			.failed = sqlite3_column_int64(stmt, 6),
			.refused = sqlite3_column_int64(stmt, 7),
			.best_us = sqlite3_column_double(stmt, 8),
			.quality = quality_read(stmt, 9),
		};

		for (int i = 0; i < PHASE_COUNT; i++)
			r.seconds[i] = sql_real(stmt, 13 + i);
		r.beside_s = sql_real(stmt, 13 + PHASE_COUNT);
		vec_push(a, out, r);
	}
	return rc;
}
