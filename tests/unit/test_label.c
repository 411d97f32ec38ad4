/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_label.c - campaigns by number, name and uid; what belongs to one goes with it, and nothing else. */
#include "db/label.h"

#include "db/delete.h"
#include "tests/db_fixture.h"

/* A campaign of SOURCE with a record and a round; ended. */
static int64_t campaign_of(struct fixture *f, struct db *db, const char *source, const char *name)
{
	const struct db_campaign like = { .device = f->device, .source = source, .name = name, .note = "" };
	const struct db_calibration now = { .fixed_us = 1 };
	struct db_record r = fixture_record(f, source, TRIAL_OK, 1);
	struct db_round round = { .task = f->task, .trials = 1 };
	struct db_campaign c;

	for (int i = 0; i < PHASE_COUNT; i++)
		round.seconds[i] = 1;
	assert_int_equal(db_campaign_enter(db, f->a, &like, true, &now, &c), DB_ENTER_NEW);
	assert_ok(db_append(db, &(struct db_batch){ .campaign = c.id, .records = &r, .n = 1, .state = "", .state_bytes = 0,
						    .round = &round }));
	assert_ok(db_campaign_end(db, c.id, CAMPAIGN_DONE));
	return c.id;
}

static void finds(struct fixture *f, struct db *db, const char *text, int64_t id)
{
	struct db_campaign c;

	if (label_find(db, f->a, text, &c) < 0)
		fail_msg("%s", err_get());
	assert_int_equal(c.id, id);
}

static void finds_none(struct fixture *f, struct db *db, const char *text, const char *why)
{
	struct db_campaign c;

	assert_int_equal(label_find(db, f->a, text, &c), -1);
	assert_err(why);
}

static void test_find(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_campaign c;

	finds_none(f, db, "1", "has no campaign");
	int64_t x = campaign_of(f, db, "x", "first"), y = campaign_of(f, db, "y", NULL);

	finds(f, db, "first", x);
	finds(f, db, arena_printf(f->a, "%lld", (long long)y), y);
	assert_int_equal(db_campaign(db, f->a, y, &c), 1);
	finds(f, db, arena_printf(f->a, "%.12s", c.uid), y);
	finds_none(f, db, arena_printf(f->a, "%.3s", c.uid), "none of that number");
	finds_none(f, db, "fir", "(first)");
	finds_none(f, db, "", "none of that number");
	db_close(db);
}

static void test_name(void **state)
{
	static const char *const bad[] = { "", "12", "a,b", "a#b", "a=b", " a", "a ", "a\tb" };
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	int64_t x = campaign_of(f, db, "x", "first"), y = campaign_of(f, db, "y", NULL);
	struct db_campaign c;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(label_check(bad[i]), -1);
	assert_int_equal(label_name(db, y, "first"), -1);
	assert_err("is called 'first' already");
	assert_ok(label_name(db, x, "first"));	/* its own */
	assert_ok(label_name(db, x, ""));
	assert_ok(label_name(db, y, "first"));
	finds(f, db, "first", y);
	assert_ok(label_note(db, y, "two\nlines"));
	assert_int_equal(db_campaign(db, f->a, y, &c), 1);
	assert_string_equal(c.note, "two\nlines");
	/* a new campaign that is to have a name that another has does not begin */
	const struct db_campaign like = { .device = f->device, .source = "z", .name = "first" };
	const struct db_calibration now = { .fixed_us = 1 };

	assert_int_equal(db_campaign_enter(db, f->a, &like, true, &now, &c), DB_ENTER_FAILED);
	assert_int_equal(count_of(db, "campaigns"), 2);
	db_close(db);
}

static void test_delete(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path), *other;
	int64_t x = campaign_of(f, db, "x", NULL), y = campaign_of(f, db, "y", NULL);
	const struct db_campaign like = { .device = f->device, .source = "z" };
	const struct db_calibration now = { .fixed_us = 1 };
	struct db_belongings b;
	struct db_campaign held;

	assert_ok(db_campaign_belongings(db, x, &b));
	assert_true(b.records == 1 && b.rounds == 1 && b.sittings == 1);
	assert_ok(db_campaign_delete(db, x));
	assert_ok(db_campaign_belongings(db, x, &b));
	assert_true(b.records == 0 && b.rounds == 0 && b.sittings == 0);
	assert_ok(db_campaign_belongings(db, y, &b));
	assert_true(b.records == 1 && b.rounds == 1 && b.sittings == 1);
	/* one that is being worked on stays */
	other = db_open(f->path, DB_WRITE);
	assert_int_equal(db_campaign_enter(other, f->a, &like, true, &now, &held), DB_ENTER_NEW);
	assert_int_equal(db_campaign_delete(db, held.id), -1);
	assert_err("is being worked on");
	db_close(other);
	assert_ok(db_campaign_delete(db, held.id));
	assert_int_equal(count_of(db, "campaigns"), 1);
	assert_sound(db);
	db_close(db);
}

/* Two files that label one campaign in two ways agree, whichever takes in the other. */
static void test_merge(void **state)
{
	struct fixture *f = *state;
	const char *path[2] = { f->path, arena_printf(f->a, "%s.other", f->path) };
	struct db *db = fixture_open(f, path[0]);
	int64_t x = campaign_of(f, db, "x", NULL);
	struct db_merged m;
	struct db_campaign c;

	db_close(db);
	db = fixture_open(f, path[1]);
	assert_ok(db_merge(db, path[0], &m));
	assert_ok(label_name(db, x, "late"));
	db_close(db);
	db = db_open(path[0], DB_MODIFY);
	assert_ok(label_name(db, x, "early"));
	assert_ok(label_note(db, x, "noted"));
	db_close(db);
	for (int i = 0; i < 2; i++) {
		db = db_open(path[i], DB_MODIFY);
		assert_ok(db_merge(db, path[!i], &m));
		assert_int_equal(db_campaign(db, f->a, x, &c), 1);
		assert_string_equal(c.name, "late");
		assert_string_equal(c.note, "noted");
		db_close(db);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_find), TEST(test_name), TEST(test_delete), TEST(test_merge),
	};

	return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
