/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_budget.c - limits, what is left of them, and times of day as people write them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "search/campaign/budget.h"

static void the_first_limit_counts(void **state)
{
	struct budget b = { .trials = 100, .minutes = 10, .until = 5000 };

	(void)state;
	assert_int_equal(budget_ends(&b, &(struct standing){ 99, 599, 4999 }), CAUSE_NONE);
	assert_int_equal(budget_ends(&b, &(struct standing){ 100, 1, 1 }), CAUSE_TRIALS);
	assert_int_equal(budget_ends(&b, &(struct standing){ 1, 600, 1 }), CAUSE_MINUTES);
	assert_int_equal(budget_ends(&b, &(struct standing){ 1, 1, 5000 }), CAUSE_UNTIL);
	/* What is kept of the time is not for trials. */
	b.reserve_s = 100;
	assert_int_equal(budget_ends(&b, &(struct standing){ 1, 499, 4899 }), CAUSE_NONE);
	assert_int_equal(budget_ends(&b, &(struct standing){ 1, 500, 1 }), CAUSE_MINUTES);
	assert_int_equal(budget_ends(&b, &(struct standing){ 1, 1, 4900 }), CAUSE_UNTIL);
	assert_true(budget_time_left_s(&b, &(struct standing){ 100, 500, 4950 }) == 50);
	b = (struct budget){ .trials = 1 };
	assert_true(isinf(budget_time_left_s(&b, &(struct standing){ 1, 1e9, 1 << 30 })));
	b = (struct budget){ 0 };
	assert_int_equal(budget_ends(&b, &(struct standing){ 9999, 1e9, 1 << 30 }), CAUSE_NONE);
}

static enum cause ends(const struct budget *b, int64_t since_gain, double gflops, double gain)
{
	return budget_ends_task(b, &(struct task_standing){ since_gain, gflops, gain });
}

static void tasks_end_by_plateau_target_or_gain(void **state)
{
	struct budget b = { .plateau = 64, .gflops = 200 };

	(void)state;
	assert_int_equal(ends(&b, 63, 199, 0), CAUSE_NONE);
	assert_int_equal(ends(&b, 64, 199, 0), CAUSE_PLATEAU);
	assert_int_equal(ends(&b, 64, 200, 0), CAUSE_TARGET);
	b = (struct budget){ .gain = 0.01 };
	assert_int_equal(ends(&b, 1 << 20, 1e6, 0.011), CAUSE_NONE);
	assert_int_equal(ends(&b, 0, 1, 0.009), CAUSE_GAIN);
	b = (struct budget){ 0 };
	assert_int_equal(ends(&b, 1 << 20, 1e6, 0), CAUSE_NONE);
}

static void what_is_left(void **state)
{
	struct budget b = { .trials = 100, .minutes = 10, .until = 2000 };
	struct standing s = { .trials = 25, .seconds = 60, .now = 1500 };

	(void)state;
	assert_true(budget_left_s(&b, &s) == 180);	/* 75 trials of 2.4 s each */
	s.now = 1990;
	assert_true(budget_left_s(&b, &s) == 10);
	b = (struct budget){ .plateau = 64 };
	assert_true(budget_left_s(&b, &s) == -1);
}

/* Noon of 20 May 2026, local time. */
static int64_t noon(void)
{
	struct tm t = { .tm_year = 126, .tm_mon = 4, .tm_mday = 20, .tm_hour = 12, .tm_isdst = -1 };

	return mktime(&t);
}

static void check_moment(const char *text, const char *want)
{
	int64_t moment = budget_moment(text, noon());
	struct text out = { 0 };

	if (want) {
		budget_print_moment(&out, moment);
		assert_string_equal(text_str(&out), want);
		text_free(&out);
	} else {
		assert_int_equal(moment, -1);
	}
}

static void moments(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	check_moment("12:01", "2026-05-20 12:01");
	check_moment("23:59", "2026-05-20 23:59");
	check_moment("12:00", "2026-05-21 12:00");	/* the next one, not this one */
	check_moment("07:00", "2026-05-21 07:00");
	check_moment("2026-12-31 23:30", "2026-12-31 23:30");
	check_moment("2020-01-01 00:00", "2020-01-01 00:00");
	check_moment("2026-02-30 12:00", NULL);
	check_moment("24:00", NULL);
	check_moment("12:00 h", NULL);
	check_moment("noon", NULL);
	check_moment("", NULL);
}

static void causes(void **state)
{
	struct budget b = { .trials = 7, .minutes = 2.5, .plateau = 64, .gflops = 200, .gain = 0.015 };
	static const char *const want[CAUSE_COUNT] = {
		[CAUSE_NONE] = "", [CAUSE_TRIALS] = "--trials 7", [CAUSE_MINUTES] = "--minutes 2.5",
		[CAUSE_PLATEAU] = "--plateau 64", [CAUSE_TARGET] = "--gflops 200", [CAUSE_GAIN] = "--gain 1.5",
		[CAUSE_SIGNAL] = "a signal",
	};

	(void)state;
	for (enum cause c = CAUSE_NONE; c < CAUSE_COUNT; c++) {
		struct text out = { 0 };

		budget_print_cause(&out, &b, c);
		if (want[c])
			assert_string_equal(text_str(&out), want[c]);
		text_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_limit_counts),
		cmocka_unit_test(tasks_end_by_plateau_target_or_gain),
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(moments),
		cmocka_unit_test(causes),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
