/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_calibration.c - times of sittings at different speeds: what they come to, how they
 * are put in order, and which are another machine's. */
#include "tests/fixture/db_fixture.h"

#include <math.h>

#include "measure/device/calibration.h"

static const struct db_calibration slow = { .fixed_us = 60, .peak = { 80, 150 }, .mem = { 10, 18 } };
static const struct db_calibration fast = { .fixed_us = 50, .peak = { 96, 180 }, .mem = { 12, 30 } };

static void near(double x, double y)
{
	assert_true(fabs(x - y) < 1e-12);
}

static void times_are_scaled(void **state)
{
	const struct db_calibration unknown = { 0 };
	const char *what;

	(void)state;
	near(calibration_scale(&slow, &fast, 0, 1), 50.0 / 60);
	near(calibration_scale(&slow, &fast, 1, 1), 10.0 / 12);
	near(calibration_scale(&slow, &fast, 1, 2), 18.0 / 30);
	near(calibration_scale(&slow, &fast, 0.5, 2), (50.0 / 60 + 18.0 / 30) / 2);
	near(calibration_scale(&unknown, &fast, 0.5, 1), 1);
	near(calibration_memory(&slow, 1e6, 200, 1), 0.5);
	near(calibration_memory(&slow, 1e6, 20, 1), 1);
	near(calibration_memory(&unknown, 1e6, 20, 1), 0);
	near(calibration_drift(&slow, &fast, &what), 0.2);
	near(calibration_drift(&unknown, &fast, &what), 0);
	assert_string_equal(what, "");
	near(calibration_drift(&fast, &slow, &what), -1.0 / 6);
}

/* A record of STEPS in a sitting of its own at speed C. */
static void sit(struct fixture *f, struct db *db, const struct db_calibration *c, const char *steps,
		double us)
{
	const struct db_campaign like = { .device = f->device, .source = steps, .options = "{}" };
	struct db_record r = fixture_record(f, steps, TRIAL_OK, us);
	struct db_campaign campaign;

	assert_int_equal(db_campaign_enter(db, f->a, &like, true, c, &campaign), DB_ENTER_NEW);
	assert_ok(db_append(db, &(struct db_batch){ .campaign = campaign.id, .records = &r, .n = 1 }));
	assert_ok(db_campaign_end(db, campaign.id, CAMPAIGN_DONE));
}

static void sittings_are_compared(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const struct db_calibration other = { .fixed_us = 20, .peak = { 200, 400 } };
	struct db_want now = { .task_key = KEY_A, .now = &fast };
	struct db_record best;
	struct db_sitting s;
	struct db_skipped skipped;

	sit(f, db, &slow, "taken while slow", 11.5);	/* 9.58 now */
	sit(f, db, &fast, "taken while fast", 10.5);
	sit(f, db, &other, "another machine", 1);
	assert_int_equal(db_best(db, f->a, &(struct db_want){ .task_key = KEY_A }, &best), 1);
	assert_string_equal(best.steps, "another machine");
	assert_int_equal(db_best(db, f->a, &now, &best), 1);
	assert_string_equal(best.steps, "taken while slow");
	assert_true(best.time_us == 11.5);	/* the time that was taken */
	assert_int_equal(db_sitting(db, f->a, best.sitting, 0, &s), 1);
	assert_true(s.calibration.fixed_us == 60);
	assert_ok(db_skipped(db, f->a, &now, &skipped));
	assert_string_equal(skipped.why,
			    "1 of a machine of another speed with the same description");
	assert_int_equal(db_sitting(db, f->a, 0, f->device, &s), 1);
	assert_true(s.calibration.fixed_us == 20);
	assert_int_equal(db_sitting(db, f->a, 0, 999, &s), 0);
	assert_sound(db);
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_scaled),
		cmocka_unit_test_setup_teardown(sittings_are_compared, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
