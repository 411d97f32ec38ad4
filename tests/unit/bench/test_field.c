/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_field.c - what is said of times that campaigns came to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/search/field.h"

enum { SEEDS = 2, TASKS = 3 };

static const struct field_plan plan = { .strategy = { &strategy_random, &strategy_evolve,
						      &strategy_grid },
					.trials = { 8, 8, 8 }, .n = 3, .seeds = SEEDS, .threads = 1 };

/* Microseconds by strategy and seed. */
static struct field_task task_of(const double us[3][SEEDS])
{
	struct field_task t = { 0 };

	for (int s = 0; s < plan.n; s++)
		for (int i = 0; i < SEEDS; i++)
			t.us[s][i] = us[s][i];
	field_rank(&plan, &t);
	return t;
}

static bool near(double x, double y)
{
	return fabs(x - y) <= 1e-9 * y;
}

static void ratios_of_a_task(void **state)
{
	static const double us[3][SEEDS] = { { 8, 18 }, { 4, 9 }, { 0, 24 } };
	struct field_task t = task_of(us);

	(void)state;
	assert_true(near(t.ratio[0].middle, 1));
	assert_true(near(t.ratio[1].middle, 2));
	assert_true(near(t.ratio[1].low, 8 / 9.0) && near(t.ratio[1].high, 4.5));
	assert_true(near(t.ratio[2].middle, 0.5));	/* of the campaign that has a kernel */
	assert_true(near(t.ratio[2].low, 8 / 24.0) && near(t.ratio[2].high, 18 / 24.0));
}

static void all_tasks(void **state)
{
	static const double gain[3][SEEDS] = { { 20, 20 }, { 10, 10 }, { 0, 0 } };
	static const double loss[3][SEEDS] = { { 10, 10 }, { 20, 20 }, { 20, 20 } };
	static const double open[3][SEEDS] = { { 10, 40 }, { 20, 20 }, { 0, 0 } };
	const struct field_task t[TASKS] = { task_of(gain), task_of(loss), task_of(open) };
	struct field_total evolve = field_sum(&plan, t, TASKS, 1);
	struct field_total grid = field_sum(&plan, t, TASKS, 2);

	(void)state;
	assert_int_equal(evolve.tasks, 3);
	assert_int_equal(evolve.faster, 1);
	assert_int_equal(evolve.slower, 1);
	assert_true(near(evolve.mean, 1));
	/* one draw in 27 has the same of them three times: the interval is wider than its tails */
	assert_true(evolve.low >= 0.49 && evolve.low < 0.6);
	assert_true(evolve.high <= 2.01 && evolve.high > 1.7);
	struct field_total one = field_sum(&plan, &t[2], 1, 1);

	assert_true(near(one.mean, 1) && near(one.low, 0.5) && near(one.high, 2));
	assert_int_equal(grid.tasks, 1);
	assert_int_equal(grid.slower, 1);
	assert_true(near(grid.mean, 0.5));
	assert_true(field_sum(&plan, t, 1, 2).mean == 0);
	assert_int_equal(field_sum(&plan, t, 1, 2).tasks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios_of_a_task),
		cmocka_unit_test(all_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
