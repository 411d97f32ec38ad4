/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/db/test_db_command.c - `hone db` as a user calls it: exit statuses, text and JSON. */
#include "tests/command.h"

static char *with_path(struct fixture *f, const char *fmt)
{
	return arena_printf(f->a, fmt, f->path, f->path);
}

static void fill(struct fixture *f)
{
	struct db *db = fixture_open(f, f->path);

	assert_ok(append_one(db, fixture_record(f, "", TRIAL_OK, 2)));
	assert_ok(append_one(db, fixture_record(f, "split 1 0 2", TRIAL_OK, 3)));
	assert_ok(append_one(db, fixture_record(f, "split 1 0 4", TRIAL_TIMEOUT, 0)));
	db_close(db);
}

static void test_tables(void **state)
{
	struct fixture *f = *state;
	char *out;

	fill(f);
	assert_int_equal(hone(f, &out, with_path(f, "db check %s")), 0);
	assert_non_null(strstr(out, "sound"));
	assert_int_equal(hone(f, &out, with_path(f, "db stats %s")), 0);
	assert_non_null(strstr(out, KEY_A));
	assert_non_null(strstr(out, "1000.0"));	/* 2e6 operations in 2 us */
	assert_int_equal(hone(f, &out, with_path(f, "db merge %s.new %s")), 0);
	assert_non_null(strstr(out, "3 records added"));
	assert_int_equal(hone(f, &out, with_path(f, "db prune %s --keep 1 --failed-days 1")), 0);
	assert_non_null(strstr(out, "removed 1 ok and 1 failed"));
	assert_int_equal(hone(f, &out, with_path(f, "db upgrade %s")), 0);
	assert_int_equal(hone(f, &out, "db --help"), 0);
	assert_non_null(strstr(out, "Example:"));
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	json_int_t trials, timeouts, records, duplicates, ok, removed;
	double best;
	int sound;

	fill(f);
	json_t *j = hone_json(f, with_path(f, "db stats --json %s"));

	assert_int_equal(json_unpack(j, "{s:[{s:I, s:F, s:{s:I}}]}", "tasks", "trials", &trials,
				     "best_us", &best, "by_status", "timeout", &timeouts),
			 0);
	assert_true(trials == 3 && best == 2 && timeouts == 1);
	json_decref(j);
	j = hone_json(f, with_path(f, "db check --json %s"));
	assert_int_equal(json_unpack(j, "{s:b}", "ok", &sound), 0);
	assert_true(sound);
	json_decref(j);
	for (int i = 0; i < 2; i++) {
		j = hone_json(f, with_path(f, "db merge --json %s.new %s"));
		assert_int_equal(json_unpack(j, "[{s:I, s:I}]", "records", &records, "duplicates",
					     &duplicates),
				 0);
		assert_true(records == (i ? 0 : 3) && duplicates == (i ? 3 : 0));
		json_decref(j);
	}
	j = hone_json(f, with_path(f, "db prune --json --keep 1 %s"));
	assert_int_equal(json_unpack(j, "{s:I, s:I}", "removed_ok", &ok, "removed_failed",
				     &removed),
			 0);
	assert_true(ok == 1 && removed == 0);
	json_decref(j);
}

static void test_exits(void **state)
{
	static const char *const wrong[] = {
		"", "check", "odd %s", "merge %s", "prune %s", "prune %s --keep 0",
		"prune %s --failed-days x", "stats %s %s", "check %s --keep 3", "check --odd %s",
	};
	struct fixture *f = *state;
	char *out;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (hone(f, &out, with_path(f, arena_printf(f->a, "db %s", wrong[i]))) != 2)
			fail_msg("hone db %s: %s", wrong[i], out);
	assert_int_equal(hone(f, &out, with_path(f, "db check %s")), 3);
	assert_non_null(strstr(out, "there is no file"));
	assert_int_equal(hone(f, &out, with_path(f, "db prune --keep 3 %s")), 3);
	fill(f);
	struct db *db = db_open(f->path, DB_MODIFY);

	assert_ok(sql_run(db, "", "UPDATE records SET steps = 'x' WHERE id = 1", ""));
	db_close(db);
	assert_int_equal(hone(f, &out, with_path(f, "db check %s")), 3);
	assert_non_null(strstr(out, "record 1: the hash of its steps is wrong"));
	assert_int_equal(hone(f, &out, with_path(f, "db check --json %s")), 3);
	/* Steps of a right hash that the task refuses, and a time that its samples do not have. */
	char hash[HASH_TEXT];

	hash_text(hash_bytes("x", 1), hash);
	db = db_open(f->path, DB_MODIFY);
	assert_ok(sql_run(db, "", "UPDATE records SET steps_hash = ? WHERE id = 1", "t", hash));
	assert_ok(sql_run(db, "", "UPDATE records SET time_us = 1e-3 WHERE id = 2", ""));
	db_close(db);
	assert_int_equal(hone(f, &out, with_path(f, "db check %s")), 3);
	assert_non_null(strstr(out, "record 1: its steps:1:1: expected a step"));
	assert_non_null(strstr(out, "record 2: its time, 0.001 us, is not among its samples"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_tables), TEST(test_json), TEST(test_exits) };

	return cmocka_run_group_tests_name("hone db", tests, NULL, NULL);
}
