/* SPDX-License-Identifier: Apache-2.0 */
/* db/sitting.c - the runs of processes on a campaign, each with the speed of the device. */
#include "db/sql.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* sqlite stores NAN as NULL. */
static double known(double v)
{
	return isfinite(v) && v > 0 ? v : NAN;
}

int sitting_begin(struct db *db, const struct db_calibration *c)
{
	static const char insert[] =
		"INSERT INTO sittings (uid, campaign, host, pid, began, fixed_us, probed, peak_one,"
		" peak_all, l1_one, l1_all, l2_one, l2_all, mem_one, mem_all) VALUES"
		" (lower(hex(randomblob(16))), ?1, ?2, ?3, ?4, ?5, nullif(?6, 0), ?7, ?8, ?9, ?10,"
		" ?11, ?12, ?13, ?14)";
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) < 0)
		snprintf(host, sizeof(host), "localhost");
	if (sql_run(db, "beginning a sitting", insert, "itiididddddddd", db->campaign, host,
		    (int64_t)getpid(), clock_wall(), known(c->fixed_us), c->probed,
		    known(c->peak[0]), known(c->peak[1]), known(c->l1[0]), known(c->l1[1]),
		    known(c->l2[0]), known(c->l2[1]), known(c->mem[0]), known(c->mem[1])) < 0)
		return -1;
	db->sitting = sqlite3_last_insert_rowid(db->sql);
	return 0;
}

#define COLUMNS                                                                                    \
	"SELECT id, campaign, host, pid, began, ended, fixed_us, probed, peak_one, peak_all,"      \
	" l1_one, l1_all, l2_one, l2_all, mem_one, mem_all FROM sittings "

/* Two columns, null for what is not known. */
static void read_rates(sqlite3_stmt *stmt, int column, double rates[2])
{
	rates[0] = sqlite3_column_double(stmt, column);
	rates[1] = sqlite3_column_double(stmt, column + 1);
}

static struct db_sitting read_sitting(struct arena *a, sqlite3_stmt *stmt)
{
	struct db_sitting s = {
		.id = sqlite3_column_int64(stmt, 0),
		.campaign = sqlite3_column_int64(stmt, 1),
		.host = sql_text(a, stmt, 2),
		.pid = sqlite3_column_int64(stmt, 3),
		.began = sqlite3_column_int64(stmt, 4),
		.ended = sqlite3_column_int64(stmt, 5),
		.calibration = { .fixed_us = sqlite3_column_double(stmt, 6),
				 .probed = sqlite3_column_int64(stmt, 7) },
	};

	read_rates(stmt, 8, s.calibration.peak);
	read_rates(stmt, 10, s.calibration.l1);
	read_rates(stmt, 12, s.calibration.l2);
	read_rates(stmt, 14, s.calibration.mem);
	return s;
}

int db_sitting(struct db *db, struct arena *a, int64_t id, int64_t device, struct db_sitting *out)
{
	static const char what[] = "reading a sitting";
	sqlite3_stmt *stmt = sql_prepare(db, what,
					 COLUMNS "WHERE CASE ?1 WHEN 0 THEN id <> ?3 AND campaign IN"
					 " (SELECT c.id FROM campaigns c WHERE c.device = ?2)"
					 " ELSE id = ?1 END ORDER BY began DESC, id DESC LIMIT 1",
					 "iii", id, device, db->sitting);

	if (!stmt)
		return -1;
	int rc = sql_step(db, what, &stmt);

	if (rc > 0)
		*out = read_sitting(a, stmt);
	sqlite3_finalize(stmt);
	return rc;
}

int db_sittings(struct db *db, struct arena *a, int64_t campaign, struct db_sitting_vec *out)
{
	static const char what[] = "reading the sittings of a campaign";
	sqlite3_stmt *stmt = sql_prepare(db, what, COLUMNS "WHERE campaign = ? ORDER BY began, id",
					 "i", campaign);
	int rc;

	*out = (struct db_sitting_vec){ 0 };
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0)
		vec_push(a, out, read_sitting(a, stmt));
	return rc;
}

const char *sitting_who(struct db *db, struct arena *a, int64_t campaign)
{
	struct db_sitting_vec v;
	struct tm local;
	char since[32];

	if (db_sittings(db, a, campaign, &v) < 0 || v.n == 0)
		return "another process";
	const struct db_sitting *s = &v.at[v.n - 1];
	time_t began = s->began;

	strftime(since, sizeof(since), "%Y-%m-%d %H:%M", localtime_r(&began, &local));
	return arena_printf(a, "process %lld on %s, since %s", (long long)s->pid, s->host, since);
}
