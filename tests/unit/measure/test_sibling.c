/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_sibling.c - samples beside somebody else are left out whatever their time, those of kernels in turn together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/rng.h"
#include "measure/timing/timing.h"

enum { SERIES = 400, SAMPLES = 60 };

static void add(struct series *s, double us, double slowdown, bool disturbed)
{
	s->us[s->n] = us;
	s->slowdown[s->n] = slowdown;
	s->disturbed[s->n++] = disturbed;
}

static struct timing_result end_of(const struct series *s)
{
	struct timing_result r;

	series_end(s, &r);
	return r;
}

/* A kernel of 1 us beside somebody that no burst tells of (who empties caches, and does not compute), and somebody that they do tell of, who
 * each come and go: both make it slower, neither faster. A median would be off by a tenth. */
static void what_others_do_makes_no_time_longer(void **state)
{
	struct rng rng = rng_seed(3);
	int told = 0;

	(void)state;
	for (int i = 0; i < SERIES; i++) {
		struct series s = { .n = 0 };
		bool beside = false, empties = true;
		int alone = 0;

		for (int j = 0; j < SAMPLES; j++) {
			double u = rng_unit(&rng);

			beside ^= rng_chance(&rng, 0.2);
			empties ^= rng_chance(&rng, 0.2);
			alone += !beside && !empties;
			add(&s, (1 + u / 100) * (beside ? 1.5 : 1) * (empties ? 1.2 + u / 10 : 1), beside ? 1.3 + u / 10 : 1 + u / 50, false);
		}
		double us = end_of(&s).time_us;

		assert_true(us >= 1 && (us < 1.03 || 3 * alone <= SAMPLES - end_of(&s).disturbed));
		told += us < 1.03;
	}
	assert_true(told > SERIES * 0.8);
}

/* A clock that was misread makes a sample a tenth of what it took. */
static void what_is_alone_is_chance(void **state)
{
	struct series s = { .n = 0 };

	(void)state;
	for (int i = 0; i < 8; i++)
		add(&s, i == 3 ? 1 : i == 5 ? 7 : 10 + i / 50.0, 1, false);
	assert_true(end_of(&s).time_us == 10 + 1 / 50.0);
	assert_true(series_settled(&s));
	assert_true(time_of_samples((double[]){ 3, 1, 2.01, 2.02, 2 }, 5) == 2.01);
	assert_true(time_of_samples((double[]){ 5, 3, 4, 2.5, 1 }, 5) == 3);
	assert_true(time_of_samples((double[]){ 3, 1 }, 2) == 2);
	assert_true(time_of_samples(NULL, 0) == 0);
}

static void samples_beside_somebody_do_not_count(void **state)
{
	struct series s = { .n = 0 };
	char counted[SAMPLES_MAX + 1];

	(void)state;
	for (int i = 0; i < 3; i++) {
		add(&s, 10 + i, 1.01, false);
		add(&s, 5, 1.4, false);
		add(&s, 20, 1.0, true);
	}
	series_counted(&s, counted);
	assert_string_equal(counted, "100100100");
	assert_true(end_of(&s).time_us == 11);
	assert_int_equal(end_of(&s).disturbed, 6);
}

/* Where nobody ever leaves the quietest third is all there is; where nobody looks all count. */
static void a_core_that_is_never_alone_is_measured_on(void **state)
{
	struct series s = { .n = 0 }, all = { .n = 0 };
	char counted[SAMPLES_MAX + 1];

	(void)state;
	for (int i = 0; i < 12; i++) {
		add(&s, i, i % 3 ? 1.5 + i / 100.0 : 1.3, false);
		add(&all, i, 1, false);
	}
	series_counted(&s, counted);
	assert_string_equal(counted, "100100100100");
	assert_int_equal(end_of(&s).disturbed, 12);
	series_counted(&all, counted);
	assert_string_equal(counted, "111111111111");
	/* nor does it matter there that time slices are short */
	for (int i = 0; i < 12; i++)
		s.disturbed[i] = true;
	series_counted(&s, counted);
	assert_string_equal(counted, "100100100100");
}

static void a_round_counts_for_all_or_for_none(void **state)
{
	struct series s[3] = { 0 };
	char counted[3][SAMPLES_MAX + 1];

	(void)state;
	for (int i = 0; i < 9; i++)
		for (int j = 0; j < 3; j++)
			add(&s[j], 1, i % 3 == j && i < 5 ? 1.4 : 1, i == 8 && j == 1);
	series_join(s, 3);
	for (int j = 0; j < 3; j++)
		series_counted(&s[j], counted[j]);
	assert_string_equal(counted[0], "000001110");
	assert_string_equal(counted[1], counted[0]);
	assert_string_equal(counted[2], counted[0]);
	series_join(s, 0);
}

static void a_burst_is_held_against_the_least_that_is_known(void **state)
{
	const struct cores_known none = { 0 }, known = { .alone = 1e-3, .nominal_ns = 1 };
	struct sibling *new = sibling_new(1, none), *busy = sibling_new(2, known);

	(void)state;
	assert_non_null(new);
	assert_non_null(busy);
	assert_true(isfinite(sibling_known(new).alone) && sibling_known(new).nominal_ns > 0);
	sibling_look(new, 0);
	assert_true(sibling_slowdown(new) >= 1 && sibling_burst(new) > 0);
	/* of another machine, say: nothing is ever as fast */
	assert_true(sibling_known(busy).alone == 1e-3 && sibling_known(busy).nominal_ns == 1);
	sibling_look(busy, 1);
	double slowdown = sibling_slowdown(busy);

	assert_true(slowdown > SIBLING_ALONE);
	sibling_look_again(busy, 1);
	assert_true(sibling_slowdown(busy) >= slowdown);
	assert_true(sibling_await(busy, 0) == 0);
	sibling_free(busy);
	sibling_free(new);
	sibling_free(NULL);
}

static int32_t one_phase(void)
{
	return 1;
}

static void nothing(int32_t phase, void *const *args, void *workspace, int32_t thread, int32_t threads)
{
	(void)phase, (void)args, (void)workspace, (void)thread, (void)threads;
}

static double time_us(const struct timing *t)
{
	const struct callable call = { .phases = one_phase, .part = nothing };
	struct series s = { 0 };

	timing_measure(&s, t, (struct timed){ .call = &call, .threads = 1 }, 0);
	return end_of(&s).time_us;
}

/* Of so many chains the fixed kernel's time tells the clock: told, not looked for. A machine that is at another clock by then finds what it is told
 * too far from that, and is asked again. */
static bool takes_clock_of_chains(void)
{
	bool took = false;

	for (int i = 0; i < 20 && !took; i++) {
		struct sibling *usual = sibling_new(1, (struct cores_known){ 0 });
		double ns = 1.1 * sibling_known(usual).nominal_ns;
		struct sibling *told = sibling_new(1, (struct cores_known){ .fixed_us = 50e-3 * ns, .fixed_chains = 50 });

		took = fabs(sibling_known(told).nominal_ns / ns - 1) < 1e-9 && sibling_known(told).fixed_chains == 50;
		sibling_free(usual);
		sibling_free(told);
	}
	return took;
}

/* A clock is what a chain takes, over what it takes at the nominal one: given, or the one at which the fixed kernel takes so long, if there can be
 * such a one. */
static void times_are_at_the_nominal_clock(void **state)
{
	const struct cores_known none = { 0 }, slow = { .fixed_us = 1e9 }, known = { .alone = 1, .nominal_ns = 1e12, .fixed_us = 7 };
	struct sibling *all[] = { sibling_new(1, none), sibling_new(1, slow), sibling_new(1, known) };
	struct cores_known usual = sibling_known(all[0]);
	struct timing t = { .max_ms = 1, .threads = 1, .sibling = all[2] };

	(void)state;
	assert_true(usual.nominal_ns > 0 && usual.fixed_us > 0 && usual.fixed_chains > 0 && sibling_clock(all[0]) > 0);
	/* the fixed kernel, of some microseconds, is to take a thousand seconds: it is the usual clock */
	assert_true(sibling_known(all[1]).nominal_ns < 1000 * usual.nominal_ns);
	assert_true(sibling_known(all[1]).fixed_us == 1e9);
	assert_true(sibling_known(all[2]).nominal_ns == 1e12 && sibling_known(all[2]).fixed_us == 7);
	assert_true(takes_clock_of_chains());
	double core_us = time_us(&t);

	/* what memory needs does not follow the clock */
	t.memory_us = 1e9;
	assert_true(time_us(&t) > 0 && core_us > 1000 * time_us(&t));
	for (int i = 0; i < 3; i++)
		sibling_free(all[i]);
}

/* Who visits cores comes back to where he may be; one that is not there is passed by. */
static void cores_are_visited(void **state)
{
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	const int cpus[] = { sched_getcpu(), CPU_SETSIZE - 1 };
	struct sibling *s = sibling_of_cores(cpus, 1), *beyond = sibling_of_cores(cpus, 2);

	assert_non_null(s);
	assert_non_null(beyond);
	assert_true(isfinite(sibling_known(s).alone) && sibling_known(s).nominal_ns > 0);
	assert_true(sibling_await(s, 5) >= 0);
	double slowdown = sibling_slowdown(s);

	sibling_visit_again(s);
	assert_true(sibling_slowdown(s) >= slowdown);
	sibling_visit_again(beyond);
	assert_true(sibling_slowdown(beyond) >= 1);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	sibling_free(beyond);
	sibling_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_do_makes_no_time_longer),
		cmocka_unit_test(what_is_alone_is_chance),
		cmocka_unit_test(samples_beside_somebody_do_not_count),
		cmocka_unit_test(a_core_that_is_never_alone_is_measured_on),
		cmocka_unit_test(a_round_counts_for_all_or_for_none),
		cmocka_unit_test(a_burst_is_held_against_the_least_that_is_known),
		cmocka_unit_test(times_are_at_the_nominal_clock),
		cmocka_unit_test(cores_are_visited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
