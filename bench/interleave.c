/* SPDX-License-Identifier: Apache-2.0 */
/* bench/interleave.c - rounds of samples, and what is said of them. */
#include "bench/interleave.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/vec.h"
#include "bench/quantile.h"

enum { CALLS_MAX = 1 << 24 };

struct times VEC(double);

struct interleave interleave_default(int threads)
{
	return (struct interleave){
		.budget_s = 2,
		.sample_us = threads == 1 ? 200 : 2000,
		.settle_us = threads == 1 ? 0 : 30000,	/* OpenBLAS spins for 2^26 cycles */
		.min_rounds = 5,
		.max_rounds = 4000,
		.cpu = threads == 1 ? PIN_HERE : PIN_NONE,
	};
}

static double now(const struct interleave *how)
{
	struct timespec t;

	if (how->now_us)
		return how->now_us(how->clock);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void settle(const struct interleave *how)
{
	struct timespec t = { (time_t)(how->settle_us / 1e6),
			      (long)(how->settle_us * 1e3) % 1000000000 };

	if (how->settle_us > 0)
		nanosleep(&t, NULL);
}

/* The time of CALLS calls; -1 where one failed. */
static double sample(const struct interleave *how, const struct contender *c, long calls)
{
	double begin = now(how);

	for (long i = 0; i < calls; i++)
		if (c->run(c->user) < 0)
			return err_prefix("%s", c->name);
	return now(how) - begin;
}

/* How many calls last as long as a sample should. */
static int calibrate(const struct interleave *how, const struct contender *c, long *calls)
{
	*calls = 1;
	if (sample(how, c, 1) < 0)	/* caches, page faults, threads */
		return -1;
	for (;;) {
		double us = sample(how, c, *calls);

		if (us < 0)
			return -1;
		if (us >= how->sample_us || *calls >= CALLS_MAX)
			return 0;
		double want = us > 0 ? 1.1 * how->sample_us / us : 8;

		*calls = (long)((double)*calls * (want > 8 ? 8 : want)) + 1;
	}
}

static int play(const struct interleave *how, const struct contender *c, int n, long *calls,
		struct arena *a, struct times *times)
{
	double begin = now(how);
	double *round = arena_many(a, double, n);

	for (int i = 0; i < n; i++)
		if (calibrate(how, &c[i], &calls[i]) < 0)
			return -1;
	for (int r = 0; r < how->max_rounds; r++) {
		if (r >= how->min_rounds && now(how) - begin >= how->budget_s * 1e6)
			break;
		for (int j = 0; j < n; j++) {
			int i = (r + j) % n;

			settle(how);
			if (sample(how, &c[i], 1) < 0)
				return -1;
			round[i] = sample(how, &c[i], calls[i]) / (double)calls[i];
			if (round[i] < 0)
				return -1;
		}
		for (int i = 0; i < n; i++)
			vec_push(a, times, round[i]);
	}
	return 0;
}

static int pin(int cpu, cpu_set_t *before)
{
	cpu_set_t one;

	if (cpu == PIN_HERE)
		cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET((unsigned)cpu, &one);
	if (sched_getaffinity(0, sizeof(*before), before) < 0 ||
	    sched_setaffinity(0, sizeof(one), &one) < 0)
		return err_set("cannot pin to core %d: %s", cpu, strerror(errno));
	return 0;
}

int interleave(const struct interleave *how, const struct contender *c, int n,
	       struct standing *out)
{
	struct arena *a = arena_new();
	long *calls = arena_many(a, long, n);
	struct times times = { 0 };
	cpu_set_t before;
	bool pinned = how->cpu != PIN_NONE;
	int rc = pinned ? pin(how->cpu, &before) : 0;

	if (rc == 0) {
		rc = play(how, c, n, calls, a, &times);
		if (pinned)
			sched_setaffinity(0, sizeof(before), &before);
	}
	if (rc == 0) {
		interleave_rank(times.at, times.n / n, n, out);
		for (int i = 0; i < n; i++)
			out[i].calls = calls[i];
	}
	arena_free(a);
	return rc;
}

void interleave_rank(const double *times, int rounds, int n, struct standing *out)
{
	struct arena *a = arena_new();
	double *v = arena_many(a, double, rounds);

	for (int i = 0; i < n; i++) {
		out[i] = (struct standing){ .rounds = rounds };
		if (rounds == 0)
			continue;
		for (int r = 0; r < rounds; r++)
			v[r] = times[r * n + i];
		sort_figures(v, rounds);
		out[i].us = quantile(v, rounds, .5);
		for (int r = 0; r < rounds; r++)
			v[r] = times[r * n + i] / times[r * n];
		sort_figures(v, rounds);
		out[i].ratio = quantile(v, rounds, .5);
		out[i].low = quantile(v, rounds, .1);
		out[i].high = quantile(v, rounds, .9);
	}
	arena_free(a);
}
