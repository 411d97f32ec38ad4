/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/codegen/test_team.c - threads that wait for each other, also where there are more of them than
 * cores. */
#include "codegen/team.h"

#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 9, ROUNDS = 3000 };

/* What the threads of one team see of each other. */
struct crowd {
	int threads;		/* that came */
	int runs[MOST];		/* of each thread */
	int round[MOST];	/* that each is in */
	int late;		/* looks that found somebody in another round */
};

/* Each writes its own number and, behind the barrier, reads all: plain memory, so that what the
 * barrier does not order would show. */
static void keep_step(struct team *t, int thread, void *user)
{
	struct crowd *c = user;

	c->runs[thread]++;
	if (thread == 0)
		c->threads = omp_get_num_threads();
	for (int round = 1; round <= ROUNDS; round++) {
		int late = 0;

		c->round[thread] = round;
		team_wait(t, thread);
		for (int i = 0; i < omp_get_num_threads(); i++)
			late += c->round[i] != round;
		team_wait(t, thread);
		if (late)
			__atomic_fetch_add(&c->late, late, __ATOMIC_RELAXED);
	}
}

static void test_threads_keep_step(void **state)
{
	(void)state;
	omp_set_dynamic(0);
	for (int threads = 1; threads <= MOST; threads++) {
		struct crowd c = { 0 };

		team_run(threads, keep_step, &c);
		assert_int_equal(c.threads, threads);
		assert_int_equal(c.late, 0);
		for (int i = 0; i < MOST; i++)
			assert_int_equal(c.runs[i], i < threads);
	}
}

static void inner(struct team *t, int thread, void *user)
{
	struct crowd *crowds = user;

	(void)t;
	team_run(3, keep_step, &crowds[thread]);
}

/* OpenMP gives no threads inside of its own regions unless told so: the team is smaller, not wrong. */
static void test_fewer_than_asked(void **state)
{
	struct crowd crowds[2] = { { 0 } };

	(void)state;
	omp_set_max_active_levels(1);
	team_run(2, inner, crowds);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(crowds[i].threads, 1);
		assert_int_equal(crowds[i].runs[0], 1);
	}
}

/* --- callable_run */

enum { PHASES = 4 };

static int32_t phases(void)
{
	return PHASES;
}

/* Writes, for each thread, what all threads had written in the phase before, and one more. */
static void part(int32_t phase, void *const *args, void *workspace, int32_t thread, int32_t threads)
{
	int64_t *from = (int64_t *)args[0] + MOST * (phase % 2), *to = args[0];
	int64_t sum = 1;

	assert_ptr_equal(workspace, args[1]);
	for (int i = 0; i < threads; i++)
		sum += from[i];
	to[MOST * ((phase + 1) % 2) + thread] = sum;
}

static void test_phases_follow_each_other(void **state)
{
	const struct callable c = { .phases = phases, .part = part };

	(void)state;
	for (int threads = 1; threads <= MOST; threads++) {
		int64_t numbers[2 * MOST] = { 0 }, want = 0;

		for (int i = 0; i < PHASES; i++)
			want = want * threads + 1;
		callable_call(&c, threads, (void *[]){ numbers, &want }, &want);
		for (int i = 0; i < threads; i++)
			assert_int_equal(numbers[MOST * (PHASES % 2) + i], want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_keep_step),
		cmocka_unit_test(test_fewer_than_asked),
		cmocka_unit_test(test_phases_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
