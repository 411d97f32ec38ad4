/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_calm.c - whose time it was, by figures as the kernel has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure/timing/calm.h"

static const char before[] = "cpu  300 0 60 900 40 0 0 10 0 0\n"
			     "cpu0 100 0 20 300 20 0 0 4 0 0\n"
			     "cpu1 100 0 20 300 10 0 0 3 0 0\n"
			     "cpu10 100 0 20 300 10 0 0 3 0 0\n"
			     "intr 7\n";

static void check_time(const char *list, double total, double idle, double steal)
{
	struct cpu_time t = cpu_time_parse(before, list);

	assert_true(t.total == total);
	assert_true(t.idle == idle);
	assert_true(t.steal == steal);
}

static void cpus_are_added_up(void **state)
{
	(void)state;
	check_time(NULL, 1310, 940, 10);
	check_time("0", 444, 320, 4);
	check_time("1", 433, 310, 3);
	check_time("0-1", 877, 630, 7);
	check_time("0,10", 877, 630, 7);
	check_time("2-9", 0, 0, 0);
	assert_true(cpu_time_parse(NULL, NULL).total == 0);
	assert_true(cpu_time_parse("nonsense", NULL).total == 0);
}

/* A second of one core, in ticks. */
static struct disturbance second(double idle, double steal, double ours)
{
	struct usage from = { { 5000, 1000, 70 }, 900 };
	struct usage to = { { 5100, 1000 + idle, 70 + steal }, 900 + ours };

	return calm_compare(&from, &to);
}

static void check(struct disturbance d, double taken, double stolen, bool disturbed)
{
	assert_true(d.taken == taken);
	assert_true(d.stolen == stolen);
	assert_int_equal(calm_is_disturbed(&d), disturbed);
}

static void shares_of_a_second(void **state)
{
	(void)state;
	check(second(100, 0, 0), 0, 0, false);
	check(second(10, 0, 90), 0, 0, false);		/* we measured */
	check(second(5, 0, 90), 0.05, 0, false);	/* and an interrupt came */
	check(second(0, 0, 50), 0.5, 0, true);		/* another process, half of the time */
	check(second(60, 0, 0), 0.4, 0, true);		/* while we waited */
	check(second(0, 42, 58), 0, 0.42, true);
	check(second(0, 0, 190), 0, 0, false);		/* ours were on other cores, too */
}

static void nothing_to_compare(void **state)
{
	struct usage same = { { 5000, 1000, 70 }, 900 }, none = { { 0, 0, 0 }, 0 };

	(void)state;
	check(calm_compare(&same, &same), 0, 0, false);
	check(calm_compare(&same, &none), 0, 0, false);	/* without /proc/stat */
}

static void our_own_time(void **state)
{
	struct arena *a = arena_new();
	double ours = cpu_time_of(a, getpid());

	(void)state;
	assert_true(ours >= 0);
	assert_true(cpu_time_of(a, getpid()) >= ours);
	assert_true(cpu_time_of(a, 0) == 0);
	assert_true(cpu_time_ours() >= 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_added_up),
		cmocka_unit_test(shares_of_a_second),
		cmocka_unit_test(nothing_to_compare),
		cmocka_unit_test(our_own_time),
	};

	return cmocka_run_group_tests_name("calm", tests, NULL, NULL);
}
