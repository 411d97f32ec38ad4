/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_db_file.c - the file as a whole: merged, pruned, checked, upgraded, refused. */
#include "tests/db_fixture.h"

#include <sys/stat.h>

static const struct db_want any = { 0 };
static const struct db_want task_a = { .task_key = KEY_A };

static void test_merge(void **state)
{
	struct fixture *f = *state;
	char *from = arena_printf(f->a, "%s/with %%41?#.db", f->folder);
	struct db *db = fixture_open(f, from);
	struct db_campaign start = { .device = f->device, .source = "mm" }, c;
	struct db_record r = fixture_record(f, "a", TRIAL_OK, 3);
	struct db_record_vec all;
	struct db_merged m;

	assert_ok(db_campaign_start(db, &start));
	assert_ok(db_append(db, &(struct db_batch){ db->campaign, &r, 1, "s", 1 }));
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
	assert_int_equal(all.at[2].device, f->device);
	assert_true(all.at[2].campaign > 0 && all.at[2].time_us == 3);
	assert_string_equal(all.at[2].toolchain_text, "gcc 12 -O3");
	assert_int_equal(db_campaign_find(db, f->a, "mm", NULL, f->device, &c), 1);
	assert_true(c.state == CAMPAIGN_STOPPED && c.search_bytes == 1 && c.rounds == 1);
	assert_int_equal(db_merge(db, f->path, &m), -1);
	assert_err("itself");
	assert_int_equal(db_merge(db, f->folder, &m), -1);
	assert_err("is a folder");
	assert_int_equal(count_of(db, "records"), 3);
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
	assert_ok(db_top(db, f->a, &any, 9, &top));
	assert_int_equal(top.n, 3);
	assert_ok(db_prune(db, &keep2, &p));
	assert_true(p.ok == 3 && p.failed == 0);
	assert_ok(db_top(db, f->a, &any, 9, &top));
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
	assert_ok(db_campaign_start(db, &(struct db_campaign){ .device = 1, .source = "s" }));
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
		{ "UPDATE records SET samples = x'0102'", "no array" },
		{ "UPDATE records SET samples = x''", "empty" },
		{ "UPDATE records SET samples = zeroblob(16)", "no time" },
		{ "UPDATE records SET counters = '{'", "JSON" },
		{ "UPDATE records SET task = 77", "tasks" },
		{ "UPDATE records SET status = 'odd', time_us = NULL", "statuses" },
		{ "UPDATE records SET time_us = NULL", "CHECK" },
		{ "DELETE FROM statuses WHERE name = 'wrong'", "wrong" },
		{ "DELETE FROM migrations", "migrations" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = *state;
		char *path = arena_printf(f->a, "%s/%zu.db", f->folder, i);
		struct db *db = fixture_open(f, path);
		struct db_problem_vec problems;

		put(db, f, "a", TRIAL_OK, 3, 1);
		assert_sound(db);
		spoil(db, cases[i].spoil);
		assert_ok(db_check(db, f->a, &problems));
		if (problems.n != 1 || !strstr(problems.at[0], cases[i].says))
			fail_msg("%s: %d problems, the first: %s", cases[i].spoil, problems.n,
				 problems.n ? problems.at[0] : "");
		db_close(db);
	}
}

static const struct migration *history(void)
{
	static struct migration h[3];

	h[0] = db_migrations[0];
	h[1] = (struct migration){ "notes", "ALTER TABLE tasks ADD COLUMN note TEXT;"
					    "UPDATE tasks SET note = 'old'" };
	h[2] = (struct migration){ "breaks", "CREATE TABLE half (x); CREATE TABLE tasks (x)" };
	return h;
}

static void test_migrations(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	int64_t n;

	put(db, f, "a", TRIAL_OK, 3, 1);
	db_close(db);
	/* A hone that knows version 2: reading refuses, writing upgrades, twice is once. */
	assert_null(db_open_with(f->path, DB_READ, history(), 2));
	assert_err("older hone");
	for (int i = 0; i < 2; i++) {
		db = db_open_with(f->path, DB_MODIFY, history(), 2);
		assert_non_null(db);
		assert_int_equal(sql_int(db, "", &n, "PRAGMA user_version", ""), 1);
		assert_int_equal(n, 2);
		assert_int_equal(count_of(db, "migrations"), 2);
		assert_int_equal(count_of(db, "tasks WHERE note = 'old'"), 1);
		assert_int_equal(count_of(db, "records"), 1);
		db_close(db);
	}
	/* The one that knows version 1 only leaves it alone. */
	for (int mode = DB_READ; mode <= DB_WRITE; mode++) {
		assert_null(db_open(f->path, (enum db_mode)mode));
		assert_err("newer hone (schema 2");
	}
	/* A migration that fails half way leaves version 2. */
	assert_null(db_open_with(f->path, DB_MODIFY, history(), 3));
	assert_err("upgrading");
	db = db_open_with(f->path, DB_READ, history(), 2);
	assert_non_null(db);
	assert_int_equal(count_of(db, "sqlite_master WHERE name = 'half'"), 0);
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
		TEST(test_merge), TEST(test_prune), TEST(test_stats),
		TEST(test_check), TEST(test_migrations), TEST(test_statuses),
		TEST(test_bad_files), TEST(test_damaged), TEST(test_locked),
	};

	return cmocka_run_group_tests_name("db files", tests, NULL, NULL);
}
