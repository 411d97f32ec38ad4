/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/db/test_db_file.c - the file as a whole: merged, pruned, checked, upgraded, refused. */
#include "tests/fixture/db_fixture.h"

#include <sys/stat.h>

static const struct db_want any = { 0 };
static const struct db_want task_a = { .task_key = KEY_A };

static void test_merge(void **state)
{
	struct fixture *f = *state;
	char *from = arena_printf(f->a, "%s/with %%41?#.db", f->folder);
	struct db *db = fixture_open(f, from);
	struct db_campaign c;
	struct db_record r = fixture_record(f, "a", TRIAL_OK, 3);
	struct db_record_vec all;
	struct db_merged m;

	start_campaign(f, db, "mm");
	assert_ok(db_append(db, &(struct db_batch){ db->campaign, &r, 1, "s", 1, NULL }));
	put(db, f, "b", TRIAL_OK, 4, 2);
	db_close(db);

	/* Other row ids on this side. */
	db = db_open(f->path, DB_WRITE);
	assert_ok(db_device(db, "dx", "{}"));
	assert_ok(db_toolchain(db, "x"));
	assert_ok(db_task(db, &(struct db_task){ .key = KEY_B, .name = "x", .text = "" }));
	db_close(fixture_open(f, f->path));
	put(db, f, "mine", TRIAL_OK, 9, 1);
	assert_ok(db_merge(db, from, &m));
	assert_true(m.records == 2 && m.duplicates == 0 && m.campaigns == 1 && m.tasks == 0);
	assert_ok(db_merge(db, from, &m));
	assert_true(m.records == 0 && m.duplicates == 2 && m.campaigns == 0 && m.devices == 0);
	assert_ok(db_records(db, f->a, &task_a, &all));
	assert_int_equal(all.n, 3);
	assert_int_equal(all.at[1].device, f->device);
	assert_true(all.at[1].campaign > 0 && all.at[1].time_us == 3);
	assert_string_equal(all.at[1].toolchain_text, "gcc 12 -O3");
	assert_int_equal(db_campaign_find(db, f->a, "mm", NULL, f->device, &c), 1);
	assert_true(c.state == CAMPAIGN_KILLED && c.search_bytes == 1 && c.rounds == 1);
	assert_int_equal(db_merge(db, f->path, &m), -1);
	assert_err("itself");
	assert_int_equal(db_merge(db, f->folder, &m), -1);
	assert_err("is a folder");
	assert_int_equal(count_of(db, "records"), 3);
	assert_sound(db);
	db_close(db);
}

static void put_numbered(struct fixture *f, const char *path, const char *steps, double us,
			 int64_t created)
{
	struct db *db = fixture_open(f, path);

	put(db, f, steps, TRIAL_OK, us, created);
	db_close(db);
}

/* The times of the standing records after merging FROM[0], FROM[1], ... into a new file, twice. */
static const char *merged_times(struct fixture *f, const char *name, const char *const *from)
{
	struct db *db = db_open(arena_printf(f->a, "%s/%s", f->folder, name), DB_WRITE);
	const char *times = "";
	struct db_record_vec top;
	struct db_merged m;

	assert_non_null(db);
	for (int i = 0; i < 4; i++)
		assert_ok(db_merge(db, from[i % 2], &m));
	assert_ok(db_top(db, f->a, &any, DB_FASTEST, 9, &top));
	for (int i = 0; i < top.n; i++)
		times = arena_printf(f->a, "%s %s=%g", times, top.at[i].steps, top.at[i].time_us);
	assert_sound(db);
	db_close(db);
	return times;
}

/* What stands does not depend on the order of merging, nor on the clocks of the two machines. */
static void test_merge_order(void **state)
{
	struct fixture *f = *state;
	const char *x = arena_printf(f->a, "%s/x.db", f->folder);
	const char *y = arena_printf(f->a, "%s/y.db", f->folder);

	put_numbered(f, x, "a", 1, 5000);
	put_numbered(f, x, "b", 7, 5000);
	put_numbered(f, y, "a", 2, 10);
	put_numbered(f, y, "a", 4, 11);		/* the second in its file, as b is in the other */
	put_numbered(f, y, "b", 3, 12);
	const char *xy = merged_times(f, "xy.db", (const char *const[]){ x, y });
	const char *yx = merged_times(f, "yx.db", (const char *const[]){ y, x });

	assert_string_equal(xy, " b=3 a=4");
	assert_string_equal(yx, xy);
	/* What is measured in knowledge of both stands above both. */
	put_numbered(f, arena_printf(f->a, "%s/xy.db", f->folder), "a", 1.5, 1);
	assert_string_equal(merged_times(f, "xy.db", (const char *const[]){ x, y }), " a=1.5 b=3");
}

/* A campaign of two batches, in a new file. */
static void write_campaign(struct fixture *f, const char *path)
{
	struct db *db = fixture_open(f, path);
	struct db_record r = fixture_record(f, "a", TRIAL_OK, 3);
	struct db_round round = fixture_round(f, 3);
	struct db_batch batch = { .records = &r, .n = 1, .round = &round };

	batch.campaign = start_campaign(f, db, "mm");
	for (int i = 0; i < 2; i++) {
		r.created++;
		assert_ok(db_append(db, &batch));
	}
	db_close(db);
}

static void test_merge_rounds(void **state)
{
	struct fixture *f = *state;
	char *from = arena_printf(f->a, "%s/from.db", f->folder);
	struct db *db = db_open(f->path, DB_WRITE);
	struct db_round_vec rounds;
	struct db_campaign c;
	struct db_merged m;

	write_campaign(f, from);
	assert_ok(db_device(db, "dx", "{}"));
	assert_ok(db_task(db, &(struct db_task){ .key = KEY_B, .name = "x", .text = "" }));
	for (int i = 0; i < 2; i++) {
		assert_ok(db_merge(db, from, &m));
		assert_true(m.rounds == (i ? 0 : 2));
	}
	db_close(fixture_open(f, f->path));
	assert_int_equal(db_campaign_find(db, f->a, "mm", NULL, f->device, &c), 1);
	assert_ok(db_rounds(db, f->a, c.id, &rounds));
	assert_int_equal(rounds.n, 2);
	assert_string_equal(rounds.at[1].task_key, KEY_A);
	assert_true(rounds.at[1].seconds[PHASE_BUILD] == 4 && rounds.at[1].beside_s == 3);

	/* Both go on; this file keeps its own third round. */
	struct db *other = db_open(from, DB_MODIFY);

	assert_ok(sql_run(other, "", "INSERT INTO rounds SELECT campaign, number + 2, task, created,"
			  " trials, failed, refused, 9, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL, 1"
			  " FROM rounds", ""));
	assert_ok(sql_run(other, "", "UPDATE campaigns SET rounds = 4", ""));
	db_close(other);
	go_on(f, db, "mm");
	struct db_round mine = fixture_round(f, 1);

	assert_ok(db_append(db, &(struct db_batch){ .campaign = c.id, .round = &mine }));
	assert_ok(db_merge(db, from, &m));
	assert_true(m.rounds == 0);
	assert_ok(db_append(db, &(struct db_batch){ .campaign = c.id, .round = &mine }));
	assert_ok(db_rounds(db, f->a, c.id, &rounds));
	assert_true(rounds.n == 4 && rounds.at[2].best_us == 1);
	assert_sound(db);
	db_close(db);
}

static void test_prune_rounds(void **state)
{
	struct fixture *f = *state;
	struct db_prune all_failed = { .failed_days = 0 };
	struct db_pruned p;

	write_campaign(f, f->path);
	struct db *db = fixture_open(f, f->path);

	assert_ok(db_prune(db, &all_failed, &p));
	assert_true(p.rounds == 0);
	assert_ok(sql_run(db, "", "DELETE FROM records", ""));
	assert_ok(db_prune(db, &all_failed, &p));
	assert_true(p.rounds == 0);	/* it may be running */
	assert_ok(db_campaign_end(db, 1, CAMPAIGN_DONE));
	assert_ok(db_prune(db, &all_failed, &p));
	assert_true(p.rounds == 2);
	assert_sound(db);
	db_close(db);
}

static void test_prune(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_prune keep2 = { .keep = 2, .failed_days = -1 };
	struct db_prune failed = { .keep = 0, .failed_days = 30 };
	struct db_record_vec top;
	struct db_pruned p;

	put(db, f, "a", TRIAL_OK, 1, 1);
	put(db, f, "a", TRIAL_OK, 2, 2);
	put(db, f, "b", TRIAL_OK, 3, 1);
	put(db, f, "c", TRIAL_OK, 4, 1);
	put(db, f, "old", TRIAL_CRASH, 0, 1);
	put(db, f, "new", TRIAL_CRASH, 0, clock_wall());
	put(db, f, "w", TRIAL_OK, 0.5, 1);
	put(db, f, "w", TRIAL_WRONG, 0, 2);
	/* While the fast wrong one is in the file, what proves it wrong stays. */
	assert_ok(db_prune(db, &failed, &p));
	assert_true(p.ok == 0 && p.failed == 1);
	assert_ok(db_top(db, f->a, &any, DB_FASTEST, 9, &top));
	assert_int_equal(top.n, 3);
	assert_ok(db_prune(db, &keep2, &p));
	assert_true(p.ok == 3 && p.failed == 0);
	assert_ok(db_top(db, f->a, &any, DB_FASTEST, 9, &top));
	assert_int_equal(top.n, 2);
	assert_true(top.at[0].time_us == 2 && top.at[1].time_us == 3);
	assert_ok(db_prune(db, &failed, &p));
	assert_int_equal(p.failed, 1);
	failed.failed_days = 0;
	assert_ok(db_prune(db, &failed, &p));
	assert_int_equal(p.failed, 1);
	assert_true(p.bytes_after > 0);
	assert_int_equal(count_of(db, "records"), 2);
	assert_sound(db);
	db_close(db);
}

/* Of all records the latest are kept, whatever was measured, and what these name. */
static void test_prune_most(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const struct db_prune two = { .keep = 1, .failed_days = -1, .most = 2, .keeps_size = true };
	const struct db_prune all = { .keep = 1, .failed_days = -1, .keeps_size = true };
	const struct db_task other = { .key = KEY_B, .name = "x", .text = "" };
	struct db_record r = fixture_record(f, "", TRIAL_OK, 3);
	struct db_record_vec top;
	struct db_pruned p;

	r.final = true;
	assert_ok(append_one(db, r));
	r.toolchain = db_toolchain(db, "another");
	assert_ok(append_one(db, r));
	r.task = db_task(db, &other);
	assert_ok(append_one(db, r));
	assert_ok(db_prune(db, &two, &p));
	assert_true(p.ok == 0 && p.old == 1 && p.bytes_after > 0);
	assert_int_equal(count_of(db, "tasks"), 2);
	assert_int_equal(count_of(db, "toolchains"), 1);
	/* what was measured again is one record, and makes no other go */
	for (int i = 1; i < 4; i++) {
		r.time_us = 3 * i;
		r.samples = (double[]){ 3 * i, 3 * i, 3 * i };
		assert_ok(append_one(db, r));
	}
	assert_ok(db_prune(db, &two, &p));
	assert_true(p.ok == 3 && p.old == 0);
	assert_ok(db_top(db, f->a, &any, DB_SUREST, 9, &top));
	assert_int_equal(top.n, 2);
	assert_true(top.at[0].time_us == 3 && top.at[1].time_us == 9);
	/* without a bound tasks stay */
	assert_ok(sql_run(db, "", "DELETE FROM records", ""));
	assert_ok(db_prune(db, &all, &p));
	assert_int_equal(count_of(db, "tasks"), 2);
	assert_ok(db_prune(db, &two, &p));
	assert_int_equal(count_of(db, "tasks") + count_of(db, "toolchains"), 0);
	assert_sound(db);
	db_close(db);
}

static void test_stats(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_record r = fixture_record(f, "a", TRIAL_OK, 2);
	struct db_stats s;

	put(db, f, "a", TRIAL_OK, 3, 1);
	put(db, f, "b", TRIAL_BUILD_ERROR, 0, 1);
	r.final = true;
	assert_ok(append_one(db, r));
	assert_ok(db_task(db, &(struct db_task){ .key = KEY_B, .name = "idle", .text = "" }));
	start_campaign(f, db, "s");
	assert_ok(db_stats(db, f->a, &s));
	assert_true(s.n_tasks == 2 && s.records == 3 && s.devices == 1 && s.toolchains == 1);
	assert_true(s.tasks[0].n_trials == 2 && s.tasks[0].trials[TRIAL_BUILD_ERROR] == 1);
	assert_true(s.tasks[0].best_us == 2 && s.tasks[1].best_us == 0);
	assert_true(s.campaigns[CAMPAIGN_RUNNING] == 1 && s.bytes > 0);
	db_close(db);
}

static void spoil(struct db *db, const char *sql)
{
	sqlite3_exec(db->sql, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON",
		     NULL, NULL, NULL);
	assert_int_equal(sqlite3_exec(db->sql, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_exec(db->sql, "PRAGMA ignore_check_constraints = OFF", NULL, NULL, NULL);
}

static void test_check(void **state)
{
	static const struct {
		const char *spoil, *says;
	} cases[] = {
		{ "UPDATE records SET steps = 'x'", "hash" },
		{ "UPDATE records SET steps_hash = 'odd'", "hash" },
		{ "UPDATE records SET threads = 1 << 20", "threads" },
		{ "UPDATE records SET time_us = 9", "not among its samples" },
		{ "UPDATE records SET counted = '101'", "neither a sample that counts" },
		{ "UPDATE records SET counted = '11'", "which of its samples" },
		{ "UPDATE records SET counted = '000'", "none of its samples counts" },
		{ "UPDATE records SET samples = x'0102'", "no array" },
		{ "UPDATE records SET samples = x''", "empty" },
		{ "UPDATE records SET samples = zeroblob(16)", "no time" },
		{ "UPDATE records SET counters = '{'", "JSON" },
		{ "UPDATE records SET task = 77", "tasks" },
		{ "UPDATE records SET status = 'odd', time_us = NULL", "statuses" },
		{ "UPDATE records SET time_us = NULL", "CHECK" },
		{ "UPDATE records SET cache = 'odd'", "caches" },
		{ "DELETE FROM caches WHERE name = 'model'", "cache state 'model'" },
		{ "DELETE FROM statuses WHERE name = 'wrong'", "wrong" },
		{ "DELETE FROM migrations", "migrations" },
		{ "UPDATE rounds SET task = 77 WHERE number = 1", "rounds 1 refers" },
		{ "UPDATE rounds SET build_s = -1 WHERE number = 1", "CHECK" },
		{ "UPDATE rounds SET rank = 2 WHERE number = 2", "round 2 of campaign 1 has" },
		{ "UPDATE rounds SET number = 9 WHERE number = 2", "round 9 of campaign 1 is not" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = *state;
		char *path = arena_printf(f->a, "%s/%zu.db", f->folder, i);
		struct db_problem_vec problems;

		write_campaign(f, path);
		struct db *db = db_open(path, DB_MODIFY);

		assert_non_null(db);
		assert_ok(sql_run(db, "", "DELETE FROM records WHERE id > 1", ""));
		assert_sound(db);
		spoil(db, cases[i].spoil);
		assert_ok(db_check(db, f->a, &problems));
		if (problems.n != 1 || !strstr(problems.at[0], cases[i].says))
			fail_msg("%s: %d problems, the first: %s", cases[i].spoil, problems.n,
				 problems.n ? problems.at[0] : "");
		db_close(db);
	}
}

/* That of a later hone: one change more, and one after it that cannot be. */
static const struct migration *history(void)
{
	static struct migration h[16];
	int n = db_migration_count;

	memcpy(h, db_migrations, (size_t)n * sizeof(h[0]));
	h[n] = (struct migration){ "notes", "ALTER TABLE tasks ADD COLUMN note TEXT;"
					    "UPDATE tasks SET note = 'old'" };
	h[n + 1] = (struct migration){ "breaks", "CREATE TABLE half (x); CREATE TABLE tasks (x)" };
	return h;
}

static void test_migrations(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const int next = db_version() + 1;
	int64_t n;

	put(db, f, "a", TRIAL_OK, 3, 1);
	db_close(db);
	/* A hone that knows the next version: reading refuses, writing upgrades, twice is once. */
	assert_null(db_open_with(f->path, DB_READ, history(), next));
	assert_err("older hone");
	for (int i = 0; i < 2; i++) {
		db = db_open_with(f->path, DB_MODIFY, history(), next);
		assert_non_null(db);
		assert_int_equal(sql_int(db, "", &n, "PRAGMA user_version", ""), 1);
		assert_int_equal(n, next);
		assert_int_equal(count_of(db, "migrations"), next);
		assert_int_equal(count_of(db, "tasks WHERE note = 'old'"), 1);
		assert_int_equal(count_of(db, "records"), 1);
		db_close(db);
	}
	/* The one that does not know it leaves it alone. */
	for (int mode = DB_READ; mode <= DB_WRITE; mode++) {
		assert_null(db_open(f->path, (enum db_mode)mode));
		assert_err(arena_printf(f->a, "newer hone (schema %d", next));
	}
	/* A migration that fails half way leaves the version before it. */
	assert_null(db_open_with(f->path, DB_MODIFY, history(), next + 1));
	assert_err("upgrading");
	db = db_open_with(f->path, DB_READ, history(), next);
	assert_non_null(db);
	assert_int_equal(count_of(db, "sqlite_master WHERE name = 'half'"), 0);
	db_close(db);
}

/* A file of schema 1 with one of everything, the campaign in the middle of its work. */
static void write_version_1(const char *path)
{
	static const char content[] =
		"INSERT INTO devices VALUES (7, 'd0', '{}', 1);"
		"INSERT INTO toolchains VALUES (5, 'gcc');"
		"INSERT INTO tasks VALUES (3, '" KEY_A "', 'mm', 'C = A', 2e6);"
		"INSERT INTO campaigns VALUES"
		"	(9, 'u', 7, 1, NULL, 'mm', '{}', 1, 'running', 2, x'7b7d');"
		"INSERT INTO records VALUES (1, 3, 7, 5, 9, 0, 0, 1, '',"
		"	'99aa06d3014798d86001c324468d497f', 'ok', '', x'0000000000000440', 2.5,"
		"	NULL, '{}', 'warm', 1, 1, 1000);";
	struct db *db = db_open_with(path, DB_WRITE, db_migrations, 1);

	assert_non_null(db);
	if (sqlite3_exec(db->sql, content, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db->sql));
	db_close(db);
}

/* Whoever made the file may have put more into a field than hone ever would. */
static void test_huge_value(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_task_vec tasks;

	sqlite3_limit(db->sql, SQLITE_LIMIT_LENGTH, 1 << 30);
	assert_ok(sql_run(db, "", "UPDATE tasks SET text = CAST(zeroblob(70000000) AS TEXT)", ""));
	db_close(db);
	db = db_open(f->path, DB_READ);
	assert_non_null(db);
	assert_int_equal(db_tasks(db, f->a, &tasks), -1);
	assert_err("too big");
	db_close(db);
}

static void test_from_version_1(void **state)
{
	struct fixture *f = *state;
	struct db_round_vec rounds;
	struct db_campaign c;
	struct db_record best;

	write_version_1(f->path);
	assert_null(db_open(f->path, DB_READ));
	assert_err("hone db upgrade");
	struct db *db = db_open(f->path, DB_MODIFY);

	if (!db)
		fail_msg("%s", err_get());
	assert_int_equal(count_of(db, "migrations"), db_version());
	assert_sound(db);
	assert_int_equal(db_best(db, f->a, &task_a, &best), 1);
	assert_true(best.time_us == 2.5 && best.campaign == 9 && best.device == 7);
	assert_true(best.seq == 1 && best.others == -1 && !best.source_hash && !best.hone);
	/* The campaign goes on; only its first batches have no round. */
	assert_int_equal(db_campaign_find(db, f->a, "mm", "{}", 7, &c), 1);
	assert_int_equal(c.seen, 1000);
	f->task = 3;
	f->device = 7;
	go_on(f, db, "mm");
	struct db_round round = fixture_round(f, 2.5);

	assert_ok(db_append(db, &(struct db_batch){ 9, NULL, 0, NULL, 0, &round }));
	assert_ok(db_rounds(db, f->a, 9, &rounds));
	assert_true(rounds.n == 1 && rounds.at[0].number == 3);
	assert_sound(db);
	db_close(db);
}

/* What a file from elsewhere has as the model of a campaign is not kept, let alone read. */
static void test_models_go(void **state)
{
	static const char models[] =
		"INSERT INTO models VALUES (1, 7, 9, 'xgboost', '" KEY_A "', 1, 1, 0,"
		"	NULL, NULL, NULL, x'7b4c0000')";
	struct fixture *f = *state;

	write_version_1(f->path);
	struct db *db = db_open_with(f->path, DB_MODIFY, db_migrations, 2);

	assert_non_null(db);
	assert_ok(sql_run(db, "", models, ""));
	db_close(db);
	db = db_open(f->path, DB_MODIFY);
	assert_non_null(db);
	assert_int_equal(count_of(db, "sqlite_master WHERE tbl_name = 'models'"), 0);
	assert_int_equal(count_of(db, "records"), 1);
	assert_sound(db);
	db_close(db);
}

static void test_statuses(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	enum trial_status s;

	assert_int_equal(count_of(db, "statuses"), TRIAL_STATUS_COUNT - TRIAL_STORED_FIRST);
	for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
		assert_true(trial_status_parse(trial_status_name((enum trial_status)i), &s));
		assert_int_equal(s, i);
		assert_true(strlen(trial_status_meaning(s)) > 10);
	}
	assert_false(trial_status_parse("none", &s));
	/* A record that nobody filled in is refused. */
	assert_int_equal(append_one(db, fixture_record(f, "a", TRIAL_PENDING, 0)), -1);
	assert_sound(db);
	db_close(db);
}

static void refuse(const char *path, enum db_mode mode, const char *says)
{
	struct db *db = db_open(path, mode);

	if (db)
		fail_msg("%s was opened", path);
	assert_err(says);
}

static void test_bad_files(void **state)
{
	struct fixture *f = *state;
	char *path = arena_printf(f->a, "%s/x", f->folder);
	char *size = arena_alloc(f->a, 8192);
	struct stat st;
	sqlite3 *other;

	refuse(path, DB_READ, "there is no file");
	refuse(path, DB_MODIFY, "there is no file");
	refuse("", DB_WRITE, "empty");
	refuse("/dev/null", DB_WRITE, "no regular file");
	refuse(f->folder, DB_WRITE, "is a folder");
	refuse(arena_printf(f->a, "%s/no/x.db", f->folder), DB_WRITE, "folder");
	assert_int_equal(stat(path, &st), -1);
	/* Text, short and long, stays as it is. */
	memset(size, 'x', 8192);
	for (size_t n = 5; n <= 8192; n *= 40) {
		assert_ok(file_write(path, size, n));
		refuse(path, DB_READ, "is no database");
		refuse(path, DB_WRITE, "is no database");
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, n);
	}
	assert_ok(file_write(path, "", 0));
	refuse(path, DB_READ, "is empty");
	refuse(path, DB_MODIFY, "is empty");
	struct db *db = fixture_open(f, path);

	assert_sound(db);
	db_close(db);
	char *foreign = arena_printf(f->a, "%s/foreign", f->folder);

	sqlite3_open(foreign, &other);
	sqlite3_exec(other, "CREATE TABLE t (x)", NULL, NULL, NULL);
	sqlite3_close(other);
	refuse(foreign, DB_READ, "another program");
	refuse(foreign, DB_WRITE, "another program");
}

static void test_damaged(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	size_t bytes;

	for (int i = 0; i < 200; i++)
		put(db, f, arena_printf(f->a, "step %d", i), TRIAL_OK, i + 1, i);
	db_close(db);
	char *data = file_read(f->a, f->path, 1 << 24, &bytes);

	assert_non_null(data);
	/* Any page of rows overwritten is found, whether on opening or by the check. */
	for (size_t at = 4096; at < bytes; at += 4096 * 3) {
		char *bad = arena_memdup(f->a, data, bytes);
		struct db_problem_vec problems = { 0 };

		memset(bad + at, 0x5a, 4096);
		assert_ok(file_write(f->path, bad, bytes));
		db = db_open(f->path, DB_READ);
		assert_true(!db || db_check(db, f->a, &problems) < 0 || problems.n > 0);
		db_close(db);
	}
	/* Cut off at the end: as good as lost, and said so. */
	assert_ok(file_write(f->path, data, bytes / 2));
	db = db_open(f->path, DB_READ);
	struct db_problem_vec problems = { 0 };

	assert_true(!db || db_check(db, f->a, &problems) < 0 || problems.n > 0);
	db_close(db);
}

static void test_locked(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db *second = db_open(f->path, DB_MODIFY);
	struct db *reader = db_open(f->path, DB_READ);

	assert_non_null(second);
	assert_non_null(reader);
	sqlite3_busy_timeout(second->sql, 1);
	assert_ok(sql_begin(db, "holding"));
	assert_int_equal(append_one(second, fixture_record(f, "a", TRIAL_OK, 1)), -1);
	assert_err("locked by another process");
	assert_int_equal(count_of(reader, "records"), 0);
	assert_ok(sql_end(db, "holding", 0));
	assert_ok(append_one(second, fixture_record(f, "a", TRIAL_OK, 1)));
	assert_ok(append_one(db, fixture_record(f, "b", TRIAL_OK, 1)));
	assert_int_equal(count_of(reader, "records"), 2);
	assert_int_equal(append_one(reader, fixture_record(f, "c", TRIAL_OK, 1)), -1);
	assert_err("may not be written");
	db_close(reader);
	db_close(second);
	db_close(db);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_merge), TEST(test_merge_order), TEST(test_merge_rounds), TEST(test_prune),
		TEST(test_prune_most), TEST(test_prune_rounds), TEST(test_stats), TEST(test_check),
		TEST(test_migrations), TEST(test_huge_value), TEST(test_from_version_1), TEST(test_models_go), TEST(test_statuses),
		TEST(test_bad_files), TEST(test_damaged), TEST(test_locked),
	};

	return cmocka_run_group_tests_name("db files", tests, NULL, NULL);
}
