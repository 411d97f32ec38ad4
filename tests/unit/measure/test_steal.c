/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_steal.c - samples that a hypervisor disturbed are left out whatever their time;
 * and caches are flushed by a thread on each core, asleep while a kernel runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "measure/timing/timing.h"
#include "tests/skip.h"

enum { SERIES = 3000, SAMPLES = 40 };

static const int64_t tick_ns = 10000000;

/* A virtual machine of which now and then two ticks are stolen at once. */
struct guest {
	struct rng rng;
	int64_t now_ns, next_theft_ns;
	int64_t stolen_ns;
};

static int64_t until_theft(struct guest *g)
{
	return 1 + rng_below(&g->rng, 200 * 1000000);
}

/* Runs for NS of its own time; what it takes in all. */
static int64_t run(struct guest *g, int64_t ns)
{
	int64_t begun = g->now_ns;

	g->now_ns += ns;
	while (g->next_theft_ns < g->now_ns) {
		g->now_ns += 2 * tick_ns;
		g->stolen_ns += 2 * tick_ns;
		g->next_theft_ns = g->now_ns + until_theft(g);
	}
	return g->now_ns - begun;
}

/* A kernel of 1 ms, which by itself takes up to 1.5 ms: a tail that is no disturbance. */
static int64_t own_ns(struct guest *g)
{
	double u = rng_unit(&g->rng);

	return (int64_t)(1e6 * (1 + u * u / 2));
}

/* The mean of the undisturbed samples of a series, in ms; 0 where there are none. */
static double series_mean(struct guest *g)
{
	struct steal_watch w;
	double ms[SAMPLES], sum = 0;
	bool out[SAMPLES] = { false };
	int n = 0;

	steal_begin(&w, g->stolen_ns / tick_ns, g->now_ns);
	for (int i = 0; i < SAMPLES; i++) {
		ms[i] = (double)run(g, own_ns(g)) * 1e-6;
		if (!steal_is_due(&w, g->now_ns) && i + 1 < SAMPLES)
			continue;
		for (int k = steal_look(&w, g->stolen_ns / tick_ns, g->now_ns, i + 1); k <= i; k++)
			out[k] = true;
	}
	for (int i = 0; i < SAMPLES; i++) {
		sum += out[i] ? 0 : ms[i];
		n += !out[i];
	}
	return n ? sum / n : 0;
}

/* The mean of 1 + u^2 / 2 is 1 + 1/6: whatever rule looks at the samples' times cuts its tail. */
static void the_mean_stays_what_it_is(void **state)
{
	struct guest g = { .rng = rng_seed(5) };
	double sum = 0;
	int n = 0;

	(void)state;
	g.next_theft_ns = until_theft(&g);
	for (int i = 0; i < SERIES; i++) {
		double mean = series_mean(&g);

		sum += mean;
		n += mean > 0;
	}
	assert_true(n > SERIES * 9 / 10);
	assert_true(sum / n > (1 + 1.0 / 6) * 0.998 && sum / n < (1 + 1.0 / 6) * 1.002);
}

static void a_window_and_the_one_before_go(void **state)
{
	struct steal_watch w;

	(void)state;
	steal_begin(&w, 7, 0);
	assert_false(steal_is_due(&w, tick_ns - 1));
	assert_true(steal_is_due(&w, tick_ns));
	assert_int_equal(steal_look(&w, 7, tick_ns, 4), 4);
	assert_int_equal(steal_look(&w, 7, 2 * tick_ns, 9), 9);
	assert_int_equal(steal_look(&w, 8, 3 * tick_ns, 12), 4);
	assert_int_equal(steal_look(&w, 8, 4 * tick_ns, 15), 15);
	assert_true(steal_ticks() >= 0);
}

/* The threads of this process that are bound to one CPU, and sleep; *CPUS gets which. */
static int bound_and_asleep(cpu_set_t *cpus)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	CPU_ZERO(cpus);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char path[300], line[256], state = '?';
		cpu_set_t own;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
		FILE *f = *e->d_name == '.' ? NULL : fopen(path, "re");

		while (f && fgets(line, sizeof(line), f))
			sscanf(line, "State: %c", &state);
		if (f)
			fclose(f);
		if (state != 'S' || sched_getaffinity(atoi(e->d_name), sizeof(own), &own) < 0 ||
		    CPU_COUNT(&own) != 1)
			continue;
		CPU_OR(cpus, cpus, &own);
		n++;
	}
	closedir(d);
	return n;
}

/* Beside other tests one may have been woken late: it still sleeps before long, and stays asleep. */
enum { LOOKS = 1000, BETWEEN_LOOKS_US = 10000 };

static void each_core_flushes(void **state)
{
	cpu_set_t all, bound;
	int asleep = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	if (CPU_COUNT(&all) == 1)	/* then this thread is bound, too */
		skip_test("one core alone: every thread is bound to it");
	struct flush *f = flush_new(1 << 20, 1 << 16);

	assert_non_null(f);
	for (int i = 0; i < 10; i++)
		flush_caches(f);
	for (int i = 0; i < LOOKS && asleep != CPU_COUNT(&all); i++) {
		if (i > 0)
			usleep(BETWEEN_LOOKS_US);
		asleep = bound_and_asleep(&bound);
	}
	assert_int_equal(asleep, CPU_COUNT(&all));
	assert_true(CPU_EQUAL(&all, &bound));
	flush_caches(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mean_stays_what_it_is),
		cmocka_unit_test(a_window_and_the_one_before_go),
		cmocka_unit_test(each_core_flushes),
	};

	return cmocka_run_group_tests_name("steal", tests, NULL, NULL);
}
