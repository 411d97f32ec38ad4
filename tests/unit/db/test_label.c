/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/db/test_label.c - campaigns by number, name and uid, also in files that were merged; what belongs to
 * one goes with it, and nothing else; what each came to. */
#include "db/label.h"

#include "db/delete.h"
#include "db/outcome.h"
#include "tests/fixture/db_fixture.h"

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
	finds_none(f, db, "fir", "is it 1 (first)?");
	finds_none(f, db, "fisrt2", "there are: 2, 1 (first)");
	finds_none(f, db, "fisst", "is it 1 (first)?");
	finds_none(f, db, "", "none of that number");
	finds_none(f, db, "+1", "none of that number");
	db_close(db);
}

/* A name is meant before a number, and that before a uid. */
static void test_meaning(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	int64_t x = campaign_of(f, db, "x", NULL), y = campaign_of(f, db, "y", NULL), z = campaign_of(f, db, "z", NULL);

	assert_ok(sql_run(db, "", "PRAGMA foreign_keys = OFF", ""));
	assert_ok(sql_run(db, "", "UPDATE campaigns SET uid = 'abcd0000' WHERE id = ?", "i", x));
	assert_ok(sql_run(db, "", "UPDATE campaigns SET uid = 'abcd1111' WHERE id = ?", "i", y));
	assert_ok(sql_run(db, "", "UPDATE campaigns SET uid = '12345678', id = 12345 WHERE id = ?", "i", z));
	finds_none(f, db, "abcd", "several whose uid begins so: 2, 1; give a number");
	finds(f, db, "abcd1", y);
	finds(f, db, "12345", 12345);
	finds(f, db, "1234", 12345);
	assert_ok(label_name(db, y, "abcd0000"));
	finds(f, db, "abcd0000", y);
	db_close(db);
}

static void test_name(void **state)
{
	static const char *const bad[] = { "", "12", "a,b", "a#b", "a=b", "a~b", " a", "a ", "a\tb" };
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
	assert_int_equal(label_note(db, y, "\033[2J"), -1);
	assert_err("takes for its own");
	/* a new campaign that is to have a name that another has does not begin */
	const struct db_campaign like = { .device = f->device, .source = "z", .name = "first" };
	const struct db_calibration now = { .fixed_us = 1 };

	assert_int_equal(db_campaign_enter(db, f->a, &like, true, &now, &c), DB_ENTER_FAILED);
	assert_int_equal(count_of(db, "campaigns"), 2);
	db_close(db);
}

static enum db_entered tune(struct fixture *f, struct db *db, const struct db_campaign *like, bool fresh,
			     enum campaign_state end)
{
	const struct db_calibration now = { .fixed_us = 1 };
	struct db_campaign c;
	enum db_entered entered = db_campaign_enter(db, f->a, like, fresh, &now, &c);

	if (entered >= DB_ENTER_NEW)
		assert_ok(db_campaign_end(db, c.id, end));
	return entered;
}

/* A campaign goes on under its own name, and under no other. */
static void test_go_on(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const struct db_campaign none = { .device = f->device, .source = "x" }, other = { .device = f->device, .source = "y",
										    .name = "a" };
	struct db_campaign a = none, b = none, c;

	a.name = "a";
	a.note = "of a";
	b.name = "b";
	assert_int_equal(tune(f, db, &none, false, CAMPAIGN_STOPPED), DB_ENTER_NEW);
	assert_int_equal(tune(f, db, &a, false, CAMPAIGN_STOPPED), DB_ENTER_OLD);	/* had none */
	assert_int_equal(label_find(db, f->a, "a", &c), 0);
	assert_int_equal(c.id, 1);
	assert_string_equal(c.note, "of a");
	assert_int_equal(tune(f, db, &b, false, CAMPAIGN_STOPPED), DB_ENTER_NEW);
	assert_int_equal(tune(f, db, &a, false, CAMPAIGN_STOPPED), DB_ENTER_OLD);	/* not the newest */
	assert_int_equal(tune(f, db, &none, false, CAMPAIGN_STOPPED), DB_ENTER_OLD);
	finds(f, db, "a", 1);
	finds(f, db, "b", 2);
	assert_int_equal(tune(f, db, &other, false, CAMPAIGN_STOPPED), DB_ENTER_FAILED);
	assert_err("is of another source");
	assert_int_equal(tune(f, db, &a, true, CAMPAIGN_STOPPED), DB_ENTER_FAILED);
	assert_err("this is to be a new one");
	assert_int_equal(tune(f, db, &a, false, CAMPAIGN_DONE), DB_ENTER_OLD);
	assert_int_equal(tune(f, db, &a, false, CAMPAIGN_DONE), DB_ENTER_FAILED);
	assert_err("campaign 1 of");
	assert_err("is done");
	a.name = "1";
	assert_int_equal(tune(f, db, &a, false, CAMPAIGN_DONE), DB_ENTER_FAILED);
	assert_err("not only digits");
	assert_int_equal(count_of(db, "campaigns"), 2);
	db_close(db);
}

static struct db_belongings belongings(struct db *db, int64_t id)
{
	struct db_belongings b;

	assert_ok(db_campaigns_belongings(db, &id, 1, &b));
	return b;
}

static void test_delete(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path), *other;
	int64_t x = campaign_of(f, db, "x", NULL), y = campaign_of(f, db, "y", NULL);
	const struct db_campaign like = { .device = f->device, .source = "z" };
	const struct db_calibration now = { .fixed_us = 1 };
	struct db_belongings b = belongings(db, x);
	struct db_campaign held;

	assert_true(b.campaigns == 1 && b.records == 1 && b.kept == 0 && b.rounds == 1 && b.sittings == 1);
	/* one that is being worked on stays, and so do those that are named with it */
	other = db_open(f->path, DB_WRITE);
	assert_int_equal(db_campaign_enter(other, f->a, &like, true, &now, &held), DB_ENTER_NEW);
	assert_int_equal(db_campaigns_delete(db, (const int64_t[]){ x, held.id }, 2, &b), -1);
	assert_err("is being worked on by process ");
	assert_int_equal(belongings(db, x).records, 1);
	assert_ok(db_campaigns_delete(db, &x, 1, &b));
	assert_true(b.campaigns == 1 && b.records == 1 && b.rounds == 1 && b.sittings == 1);
	b = belongings(db, x);
	assert_true(b.campaigns == 0 && b.records == 0 && b.rounds == 0 && b.sittings == 0);
	b = belongings(db, y);
	assert_true(b.records == 1 && b.rounds == 1 && b.sittings == 1);
	/* the one at work goes on */
	struct db_record r = fixture_record(f, "later", TRIAL_OK, 1);

	assert_ok(db_append(other, &(struct db_batch){ .campaign = held.id, .records = &r, .n = 1 }));
	db_close(other);
	assert_ok(db_campaigns_delete(db, (const int64_t[]){ y, held.id }, 2, &b));
	assert_true(b.campaigns == 2 && b.records == 2);
	assert_int_equal(count_of(db, "campaigns"), 0);
	assert_int_equal(count_of(db, "tasks"), 1);
	assert_ok(db_shrink(db));
	assert_sound(db);
	db_close(db);
}

static void find(struct fixture *f, struct db *db, const char *source, const char *steps, enum trial_status status)
{
	struct db_record r = fixture_record(f, steps, status, 1);
	struct db_batch batch = { .records = &r, .n = 1 };

	batch.campaign = start_campaign(f, db, source);
	assert_ok(db_append(db, &batch));
	assert_ok(db_campaign_end(db, batch.campaign, CAMPAIGN_DONE));
}

/* A kernel that a campaign found wrong is no one's best when that campaign is gone. */
static void test_delete_proofs(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_belongings b;
	struct db_record best;

	find(f, db, "lucky", "a", TRIAL_OK);
	find(f, db, "careful", "a", TRIAL_WRONG);
	find(f, db, "alone", "b", TRIAL_CRASH);
	assert_int_equal(db_best(db, f->a, &(struct db_want){ .task_key = KEY_A }, &best), 0);
	assert_ok(db_campaigns_belongings(db, (const int64_t[]){ 1, 2 }, 2, &b));
	assert_true(b.records == 2 && b.kept == 0);
	assert_ok(db_campaigns_delete(db, (const int64_t[]){ 2, 3 }, 2, &b));
	assert_true(b.campaigns == 2 && b.records == 1 && b.kept == 1);
	assert_int_equal(count_of(db, "records WHERE campaign IS NULL AND sitting IS NULL AND status = 'wrong'"), 1);
	assert_int_equal(db_best(db, f->a, &(struct db_want){ .task_key = KEY_A }, &best), 0);
	assert_sound(db);
	db_close(db);
}

/* Each takes in the other, twice, in a copy; what both then say of campaign UID. */
static const char *merged_label(struct fixture *f, const char *const path[2], const char *uid)
{
	const char *labels[2];
	struct db_campaign c;
	struct db_merged m;

	for (int i = 0; i < 2; i++) {
		const char *to = arena_printf(f->a, "%s/merged%d", f->folder, i);
		struct db *db = db_open(to, DB_WRITE);

		for (int j = 0; j < 4; j++)
			assert_ok(db_merge(db, path[(i + j) % 2], &m));
		assert_ok(label_find(db, f->a, uid, &c));
		assert_sound(db);
		db_close(db);
		assert_int_equal(remove(to), 0);
		labels[i] = arena_printf(f->a, "%s: %s", c.name ? c.name : "-", c.note);
	}
	assert_string_equal(labels[0], labels[1]);
	return labels[0];
}

static void set_label(const char *path, int64_t id, const char *name, const char *note)
{
	struct db *db = db_open(path, DB_MODIFY);

	assert_non_null(db);
	if (name)
		assert_ok(label_name(db, id, name));
	if (note)
		assert_ok(label_note(db, id, note));
	db_close(db);
}

/* Of one campaign in two files the last name and the last note count, whichever takes in the other. */
static void test_merge(void **state)
{
	struct fixture *f = *state;
	const char *path[2] = { f->path, arena_printf(f->a, "%s.other", f->path) };
	struct db *db = fixture_open(f, path[0]);
	int64_t x = campaign_of(f, db, "x", "zero");
	struct db_campaign c;
	struct db_merged m;

	assert_int_equal(db_campaign(db, f->a, x, &c), 1);
	db_close(db);
	db = fixture_open(f, path[1]);
	assert_ok(db_merge(db, path[0], &m));
	db_close(db);
	assert_string_equal(merged_label(f, path, c.uid), "zero: ");
	set_label(path[0], x, "one", "noted");
	assert_string_equal(merged_label(f, path, c.uid), "one: noted");
	for (int i = 0; i < 3; i++)	/* later by so many changes, all in one second */
		set_label(path[1], x, i % 2 ? "a" : "b", NULL);
	set_label(path[1], x, "a", NULL);
	assert_string_equal(merged_label(f, path, c.uid), "a: noted");
	for (int i = 0; i < 9; i++)
		set_label(path[0], x, i % 2 ? "c" : "", i % 2 ? "no" : "");
	assert_string_equal(merged_label(f, path, c.uid), "-: ");
}

/* Two files call two campaigns alike: the first that was called so still is. */
static void test_merge_alike(void **state)
{
	struct fixture *f = *state;
	const char *path[2] = { f->path, arena_printf(f->a, "%s.other", f->path) }, *label;
	struct db_campaign c[2];
	struct db_merged m;
	struct db *db;

	for (int i = 0; i < 2; i++) {
		db = fixture_open(f, path[i]);
		assert_int_equal(db_campaign(db, f->a, campaign_of(f, db, i ? "y" : "x", "same"), &c[i]), 1);
		assert_ok(sql_run(db, "", "UPDATE campaigns SET named = ?", "i", (int64_t)(1000 - i)));
		db_close(db);
	}
	label = arena_printf(f->a, "same~%.8s", c[0].uid);
	assert_string_equal(merged_label(f, path, c[0].uid), arena_printf(f->a, "%s: ", label));
	assert_string_equal(merged_label(f, path, c[1].uid), "same: ");
	db = db_open(path[0], DB_MODIFY);
	assert_ok(db_merge(db, path[1], &m));
	finds(f, db, label, 1);
	finds(f, db, "same", 2);
	assert_int_equal(label_name(db, 1, "same"), -1);
	assert_err("campaign 2 of");
	assert_int_equal(label_name(db, 1, label), -1);	/* what a merge made is not given */
	/* without the other the name is whole again */
	assert_ok(label_name(db, 2, "another"));
	finds(f, db, "same", 1);
	db_close(db);
}

/* A file of schema 9, which had names without times. */
static void test_upgrade(void **state)
{
	struct fixture *f = *state;
	struct db *db = db_open_with(f->path, DB_WRITE, db_migrations, 9);
	struct db_campaign c;

	assert_non_null(db);
	assert_ok(sql_run(db, "", "INSERT INTO devices VALUES (7, 'd0', '{}', 1)", ""));
	assert_ok(sql_run(db, "", "INSERT INTO campaigns (uid, device, created, source, options, seed, state, name, note)"
			  " VALUES ('u', 7, 1, 'mm', '{}', 1, 'done', 'old', 'noted')", ""));
	db_close(db);
	assert_null(db_open(f->path, DB_READ));
	assert_err("hone db upgrade");
	db = db_open(f->path, DB_MODIFY);
	assert_non_null(db);
	assert_ok(label_find(db, f->a, "old", &c));
	assert_string_equal(c.note, "noted");
	assert_ok(label_name(db, c.id, "new"));
	finds(f, db, "new", c.id);
	assert_sound(db);
	db_close(db);
}

/* Each campaign's own first and best times. */
static void test_outcomes(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_outcome_vec v;

	for (int c = 0; c < 2; c++) {
		struct db_record r[] = {
			fixture_record(f, "bad", TRIAL_CRASH, 0), fixture_record(f, "a", TRIAL_OK, 9),
			fixture_record(f, "b", TRIAL_OK, 3 + c), fixture_record(f, "c", TRIAL_OK, 5),
			fixture_record(f, "d", TRIAL_OK, 1), fixture_record(f, "d", TRIAL_WRONG, 0),
			fixture_record(f, "c", TRIAL_OK, 4 + c), fixture_record(f, "m", TRIAL_OK, 2),
		};
		struct db_batch batch = { .campaign = start_campaign(f, db, "mm"), .records = r, .n = c ? 6 : 8 };

		r[6].final = true;
		r[7].final = true;
		r[7].cache = "model";
		assert_ok(db_append(db, &batch));
		assert_ok(db_campaign_end(db, batch.campaign, CAMPAIGN_DONE));
	}
	put(db, f, "b", TRIAL_OK, 0.5, 1);	/* of no campaign */
	assert_ok(db_outcomes(db, f->a, 0, &v));
	assert_int_equal(v.n, 2);
	assert_string_equal(v.at[0].task_key, KEY_A);
	assert_true(v.at[0].campaign == 1 && v.at[0].trials == 6 && v.at[0].failed == 2);
	assert_true(v.at[0].first_us == 9 && v.at[0].best_us == 4 && v.at[0].confirmed && !v.at[0].estimate);
	assert_true(v.at[1].campaign == 2 && v.at[1].first_us == 9 && v.at[1].best_us == 4 && !v.at[1].confirmed);
	assert_ok(db_outcomes(db, f->a, 2, &v));
	assert_int_equal(v.n, 1);
	db_close(db);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_find), TEST(test_meaning), TEST(test_name), TEST(test_go_on), TEST(test_delete),
		TEST(test_delete_proofs), TEST(test_merge), TEST(test_merge_alike), TEST(test_upgrade), TEST(test_outcomes),
	};

	return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
