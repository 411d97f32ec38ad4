/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_ending.c - what is kept of a budget for its end, in figures worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/campaign/contenders.h"
#include "search/campaign/ending.h"

static void close_to(double x, double want)
{
	if (fabs(x - want) > 1e-9)
		fail_msg("%.12g is not %.12g", x, want);
}

/* A network of 10 ms, 20 tasks, a tenth of a second for a kernel. */
static const struct finals_work network = { .tasks = 20, .build_s = 0.1, .run_us = 10e3 };
static const struct finals_work built = { .built = true, .run_us = 10e3 };

static void rounds_cost_runs(void **state)
{
	const struct finals_work small = { .built = true, .run_us = 100 };

	(void)state;
	/* 20 runs to begin with; a turn is one that is not counted and one that is. */
	close_to(finals_cost_s(&built, 1, 10), 0.2 + 10 * 0.02);
	close_to(finals_cost_s(&built, 3, 10), 3 * 0.4);
	/* Of a small one a turn is 4 ms behind one that is not counted. */
	close_to(finals_cost_s(&small, 1, 10), 0.002 + 10 * 0.0041);
}

static void lineups_cost_kernels(void **state)
{
	double one = finals_cost_s(&network, 1, 10), two = finals_cost_s(&network, 2, 10);

	(void)state;
	close_to(two - one, 20 * 0.1 + 0.4);
	assert_true(one > 20 * 0.1 + 0.4);	/* the model is read, too */
	struct finals_work young = network;

	/* What has no kernel yet is guessed, which takes a tenth of a second, and built. */
	young.guesses = 3;
	close_to(finals_cost_s(&young, 1, 10) - one, 3 * 0.2);
}

/* What there is time for: never more than it, never less where there is more time. */
static void time_decides_on_lineups(void **state)
{
	int before = 0;

	(void)state;
	assert_int_equal(finals_lineups(&network, 0, CONTENDERS), 0);
	for (double s = 0; s < 60; s += 0.25) {
		int n = finals_lineups(&network, s, CONTENDERS);

		assert_in_range(n, before, CONTENDERS);
		if (n > 1)
			assert_true(finals_cost_s(&network, n, FINALS_PLANNED_ROUNDS) <= s);
		if (n == 1)
			assert_true(finals_cost_s(&network, 1, FINALS_LEAST_ROUNDS) <= s);
		if (n < CONTENDERS)
			assert_true(finals_cost_s(&network, n + 1, FINALS_PLANNED_ROUNDS) > s);
		before = n;
	}
	assert_int_equal(before, CONTENDERS);
	assert_int_equal(finals_lineups(&network, 60, 2), 2);
	/* 2 lineups of 21 rounds: 1.24 s; one of 11: 0.42 s. */
	assert_int_equal(finals_lineups(&built, 1.25, CONTENDERS), 2);
	assert_int_equal(finals_lineups(&built, 1.23, CONTENDERS), 1);
	assert_int_equal(finals_lineups(&built, 0.43, CONTENDERS), 1);
	assert_int_equal(finals_lineups(&built, 0.41, CONTENDERS), 0);
}

static void finals_have_a_share(void **state)
{
	const struct finals_work slow = { .tasks = 500, .build_s = 1, .run_us = 1e6 };

	(void)state;
	assert_true(finals_share_s(&network, 1) == 0);	/* none could be held */
	for (double s = 1; s < 1e5; s *= 1.3) {
		double share = finals_share_s(&network, s);

		assert_true(share <= FINALS_SHARE * s);
		assert_true(share == 0 ||
			    share >= fmin(FINALS_SHARE * s,
					  finals_cost_s(&network, 1, FINALS_LEAST_ROUNDS)));
	}
	/* No more than they need, nor ever more than five minutes. */
	close_to(finals_share_s(&network, 1e6), finals_cost_s(&network, CONTENDERS, FINALS_ROUNDS));
	assert_true(finals_share_s(&slow, 1e6) <= FINALS_MOST_S);
}

static void the_end_is_kept(void **state)
{
	const struct campaign_pace two = { .rounds = 10, .kernels = 160, .seconds = 20, .build_s = 10 };
	const struct campaign_pace none = { 0 };

	(void)state;
	close_to(pace_build_s(&two), 10.0 / 160);
	close_to(pace_build_s(&none), 0);
	/* One round and a half, and for each task 0.8 of one. */
	close_to(ending_reserve_s(&two, 100, 0, NULL), 3);
	close_to(ending_reserve_s(&two, 100, 5, NULL), 3 + 5 * 0.8 * 2);
	close_to(ending_reserve_s(&two, 1000, 5, &network),
		 11 + finals_share_s(&network, 1000));
	/* Before the first round nothing is known but the finals. */
	close_to(ending_reserve_s(&none, 1000, 5, &network), finals_share_s(&network, 1000));
	/* Half of the time is for trials. */
	close_to(ending_reserve_s(&two, 100, 1000, &network), 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_cost_runs),
		cmocka_unit_test(lineups_cost_kernels),
		cmocka_unit_test(time_decides_on_lineups),
		cmocka_unit_test(finals_have_a_share),
		cmocka_unit_test(the_end_is_kept),
	};

	return cmocka_run_group_tests_name("the end of a campaign", tests, NULL, NULL);
}
