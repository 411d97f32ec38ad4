/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_replay.c - what a replay writes down: recorded times as they were, guesses as
 * guesses, and neither as confirmed. */
#include "tests/fixture/recording_fixture.h"

#include "search/best.h"
#include "search/campaign/tuner.h"

#define SPEC "dense:m=8,n=12,k=4"

enum { RECORDS = 60, TRIALS = 96 };

static void tune(struct fixture *f, const char *path)
{
	struct recording *r = recording_open(f->path);
	struct db *db = db_open(path, DB_WRITE);

	if (!r || !db)
		fail_msg("%s", err_get());
	const struct tuner_options o = { .source = "test", .strategy = "random", .threads = 1,
					 .budget.trials = TRIALS, .seed = 4,
					 .measurer = measurer_replay(r, &cost_model_xgboost) };
	struct tuner *t = tuner_new(db, r->device, &r->tasks, &o);

	if (!t || tuner_run(t) != 0)
		fail_msg("%s", err_get());
	tuner_free(t);
	assert_sound(db);
	db_close(db);
	recording_close(r);
}

/* Whether STEPS were recorded, with the time US (0: with any). */
static bool was_recorded(const struct db_record_vec *all, const char *steps, double us)
{
	for (int i = 0; i < all->n; i++)
		if (strcmp(all->at[i].steps, steps) == 0 && (us == 0 || all->at[i].time_us == us))
			return true;
	return false;
}

static struct db_record_vec records_of(struct fixture *f, const char *path)
{
	struct db *db = db_open(path, DB_READ);
	struct db_record_vec all;

	assert_non_null(db);
	assert_ok(db_records(db, f->a, &(struct db_want){ 0 }, &all));
	db_close(db);
	return all;
}

static void guesses_are_flagged(void **state)
{
	static const char *const specs[] = { SPEC };
	struct fixture *f = *state;
	const char *path = arena_printf(f->a, "%s/replayed.db", f->folder);
	int guesses = 0;

	recording_make(f->path, specs, 1, RECORDS);
	tune(f, path);
	struct db_record_vec known = records_of(f, f->path), all = records_of(f, path);

	assert_int_equal(all.n, TRIALS);	/* no confirmation: there is nothing to ask */
	for (int i = 0; i < all.n; i++) {
		const struct db_record *r = &all.at[i];

		assert_true(!r->final && !r->source_hash);
		guesses += r->estimate;
		assert_int_equal(r->estimate, !was_recorded(&known, r->steps, 0));
		assert_true(r->estimate || was_recorded(&known, r->steps, r->time_us));
	}
	assert_in_range(guesses, 1, TRIALS - 1);
}

/* The best is a recorded one, however fast the guesses are; guesses alone are said to be that, and
 * are no recording. */
static void guesses_are_not_best(void **state)
{
	static const char *const specs[] = { SPEC };
	struct fixture *f = *state;
	const char *path = arena_printf(f->a, "%s/replayed.db", f->folder);
	struct task_vec tasks = { 0 };
	struct best b;

	recording_make(f->path, specs, 1, RECORDS);
	tune(f, path);
	struct db *db = db_open(path, DB_MODIFY);

	vec_push(f->a, &tasks, task_new(f->a, operator_build(f->a, SPEC), SPEC, 1));
	assert_int_equal(task_best(f->a, db, tasks.at[0], (struct db_want){ 0 },
				   &target_x86_64_avx2, &b), 1);
	assert_true(!b.record.estimate);
	assert_string_equal(evidence_caveat(f->a, &b.record, b.evidence),
			    "unconfirmed, text that was measured not known");
	assert_ok(sql_run(db, "", "DELETE FROM records WHERE estimate = 0", ""));
	assert_int_equal(task_best(f->a, db, tasks.at[0], (struct db_want){ 0 },
				   &target_x86_64_avx2, &b), 1);
	assert_string_equal(evidence_caveat(f->a, &b.record, b.evidence), "estimate");
	db_close(db);
	assert_null(recording_open(path));
	assert_err("has no records to replay");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(guesses_are_flagged, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(guesses_are_not_best, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
