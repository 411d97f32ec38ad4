/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/timing.c - samples, their disturbances, the race. */
#include "measure/timing/timing.h"

#include <math.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/clock.h"

/* Length of a sample: a thousand times the cost of reading the clock, and short against the
 * milliseconds between preemptions. */
#define SAMPLE_US 60.0

enum { RACE_SAMPLES_MAX = 16 };

enum { ESTIMATES_MAX = 3, REPEATS_MAX = 20000 };

/* Flushing takes much longer than what is timed: these many samples, however long they take. */
enum { COLD_SAMPLES = 5 };

/* A race lasts this long at least, where the samples are short enough: a moment on a busy core must
 * not decide it. */
#define RACE_MS 1.5

/* A kernel beyond this multiple of the race's limit is not worth three samples. */
#define HOPELESS 3.0

/* One run shorter than this condemns nobody by itself: page faults, cold caches, a time slice that
 * went to somebody else (4 to 16 ms, measured on a busy machine) may have made it what it is. */
#define ONE_RUN_US 25000.0

/* A run that takes less of the time of the one before found more in the caches than that. Of kernels with 9 MB of
 * weights beside a last cache of 12, the first run after others' took 1.5 times what the fourth did (docs/performance.md). */
#define STILL_WARMING 0.97
enum { WARM_RUNS = 6 };

/* Of samples of 0.1 to 10 ms on a Xeon with AVX-512 the clock moved within 2 to 20%, of longer ones within more (docs/performance.md):
 * these are not taken again. */
enum { STEADY_TRIES = 3 };
#define STEADY_US 10e3

/* Where the calling thread is, and how often it, or any thread where there are several, was
 * preempted. */
struct cpu_place {
	long preempted;
	int cpu;
};

static struct cpu_place place_now(const struct timing *t)
{
	struct rusage u;

	getrusage(t->threads > 1 ? RUSAGE_SELF : RUSAGE_THREAD, &u);
	return (struct cpu_place){ u.ru_nivcsw, sched_getcpu() };
}

/* One sample: what is run, and what thread 0 has seen of it. */
struct timed_sample {
	const struct timing *timing;
	struct sibling *sibling;	/* looked at around it; NULL: nobody asks */
	struct timed kernel;
	int repeats;
	int64_t ns;
	bool disturbed;
};

static void take_sample(struct team *team, int thread, void *user)
{
	struct timed_sample *s = user;
	struct timed k = s->kernel;
	struct cpu_place before = { 0 };
	int64_t start = 0;

	if (k.handed_on)
		evicted_take(k.handed_on, thread, k.threads);
	team_wait(team, thread);	/* that all have woken up is not part of the time */
	if (s->sibling)
		sibling_look(s->sibling, thread);
	if (thread == 0) {
		before = place_now(s->timing);
		start = clock_ns();
	}
	team_wait(team, thread);
	for (int i = 0; i < s->repeats; i++) {
		callable_run(k.call, team, thread, k.args, k.workspace);
		team_wait(team, thread);
	}
	if (thread == 0) {
		s->ns = clock_ns() - start;
		struct cpu_place after = place_now(s->timing);

		s->disturbed = before.preempted != after.preempted || before.cpu != after.cpu;
	}
	if (s->sibling)
		sibling_look_again(s->sibling, thread);
}

/* Microseconds a run, the mean of REPEATS; LOOKED_AT may be NULL. */
static double sample(const struct timing *t, struct sibling *looked_at, struct timed k, int repeats, bool *disturbed)
{
	struct timed_sample s = { .timing = t, .sibling = looked_at, .kernel = k, .repeats = repeats };

	flush_caches(t->flush);
	if (k.evicted)
		evict(k.evicted);
	if (k.handed_on)
		evict(k.handed_on);
	team_run(k.threads, take_sample, &s);
	*disturbed |= s.disturbed;
	return (double)s.ns * 1e-3 / repeats;
}

/* What US microseconds, looked at, come to at the nominal clock. */
static double at_nominal_clock(const struct timing *t, double us)
{
	double core = fmax(0, us - t->memory_us);

	return t->sibling ? us - core + core * sibling_clock(t->sibling) : us;
}

/* Is something not there that was in the caches behind the run before? */
static bool begins_cold(const struct timing *t, struct timed k)
{
	return t->flush || k.evicted || k.handed_on;
}

static int choose_repeats(const struct timing *t, struct timed k, double us)
{
	if (begins_cold(t, k))
		return 1;
	if (us * REPEATS_MAX < SAMPLE_US)
		return REPEATS_MAX;
	return us < SAMPLE_US ? (int)ceil(SAMPLE_US / us) : 1;
}

/* Microseconds a run. A tiny kernel's single run is mostly the clock's own cost, so that it is
 * asked again in groups. */
static double estimate_once(const struct timing *t, struct timed k, bool *disturbed)
{
	double us = sample(t, NULL, k, 1, disturbed);
	int repeats = choose_repeats(t, k, us);

	while (repeats > 8) {
		double before = us;

		us = sample(t, NULL, k, repeats, disturbed);
		if (us > before * 0.8)
			break;
		repeats = choose_repeats(t, k, us);
	}
	return us;
}

/* The same, until it was undisturbed, or often enough: a preempted estimate is far too long, unless
 * it is long against what a preemption takes. */
static double estimate(const struct timing *t, struct timed k, bool *disturbed)
{
	double best = HUGE_VAL;

	*disturbed = true;
	for (int i = 0; i < ESTIMATES_MAX && *disturbed && (i == 0 || best < ONE_RUN_US); i++) {
		*disturbed = false;
		best = fmin(best, estimate_once(t, k, disturbed));
	}
	return best;
}

/* For a moment in which the cores are its own, if it has not waited for long. */
static void await_quiet(struct series *s, const struct timing *t)
{
	if (t->sibling)
		s->waited_ms += sibling_await(t->sibling, TIMING_AWAIT_MS - s->waited_ms);
}

double series_begin(struct series *s, const struct timing *t, struct timed kernel)
{
	bool disturbed;

	s->kernel = kernel;
	s->n = 0;
	s->waited_ms = 0;
	await_quiet(s, t);
	steal_begin(&s->steal, steal_ticks(), clock_ns());
	double us = estimate(t, kernel, &disturbed);

	s->repeats = choose_repeats(t, kernel, us);
	return disturbed ? -1 : us;
}

void series_look(struct series *s)
{
	for (int i = steal_look(&s->steal, steal_ticks(), clock_ns(), s->n); i < s->n; i++)
		s->disturbed[i] = true;
}

void series_warm(struct series *s, const struct timing *t)
{
	double before = HUGE_VAL;

	s->waited_ms = 0;
	await_quiet(s, t);
	for (int i = 0; i < WARM_RUNS && !begins_cold(t, s->kernel); i++) {
		bool disturbed = false;
		double us = sample(t, NULL, s->kernel, 1, &disturbed);

		if (us > before * STILL_WARMING)
			return;
		before = us;
	}
}

/* A sample at the nominal clock, taken again where the clock moved meanwhile, if that ends soon. */
static double steady_sample(const struct series *s, const struct timing *t, bool *disturbed)
{
	double us = 0;
	bool steady = false;

	for (int i = 0; i < STEADY_TRIES && !steady && us * s->repeats < STEADY_US; i++) {
		*disturbed = false;
		us = at_nominal_clock(t, sample(t, t->sibling, s->kernel, s->repeats, disturbed));
		steady = !t->sibling || sibling_is_steady(t->sibling);
	}
	*disturbed |= !steady;
	return us;
}

void series_add(struct series *s, const struct timing *t)
{
	if (s->n == SAMPLES_MAX)
		return;
	await_quiet(s, t);
	s->us[s->n] = steady_sample(s, t, &s->disturbed[s->n]);
	s->clock[s->n] = t->sibling ? sibling_clock(t->sibling) : 0;
	s->slowdown[s->n++] = t->sibling ? sibling_slowdown(t->sibling) : 1;
	if (steal_is_due(&s->steal, clock_ns()))
		series_look(s);
}

/* What sample I would have taken alone, at least: kernels are slowed down by up to the square of what bursts are (1.6 and 1.3, 1.7 and 1.4
 * on an EPYC, Zen 3). */
static double alone_us(const struct series *s, int i)
{
	double slowdown = s->slowdown[i] > SIBLING_ALONE ? s->slowdown[i] : 1;

	return s->us[i] / (slowdown * slowdown);
}

static bool lost(const struct series *s, double limit_us)
{
	double best = HUGE_VAL;

	for (int i = 0; i < s->n; i++)
		best = fmin(best, alone_us(s, i));
	return limit_us > 0 && best > limit_us;
}

/* Enough samples to tell whether the kernel has lost. On a busy machine no run that is longer than
 * a time slice is ever undisturbed: those do not wait for one. */
static bool race_is_run(const struct series *s, const struct timing *t, int64_t start)
{
	double ms = ms_since(start) - s->waited_ms;

	if (s->n < SERIES_LEAST)
		return false;
	return s->n >= RACE_SAMPLES_MAX || ms >= t->max_ms || (series_good(s, 1) > 0 && ms >= RACE_MS);
}

static void sample_until_settled(struct series *s, const struct timing *t, int64_t start)
{
	while (s->n < SAMPLES_MAX) {
		double ms = ms_since(start) - s->waited_ms;

		if (s->n >= (begins_cold(t, s->kernel) ? COLD_SAMPLES : SERIES_LEAST) && ms >= t->max_ms)
			break;
		if (ms >= t->min_ms && series_settled(s)) {
			series_look(s);
			if (series_settled(s))
				return;
		}
		series_add(s, t);
	}
	series_look(s);
}

/* A first run has cold caches and page faults in it: it condemns only when far off. */
double race_deadline_us(double limit_us)
{
	return limit_us > 0 ? fmax(ONE_RUN_US, HOPELESS * HOPELESS * limit_us) : 0;
}

/* A thread that another one waits for may have been preempted before the run began, which no
 * counter tells. */
static bool hopeless(const struct timing *t, double us, double limit_us)
{
	return limit_us > 0 && us > HOPELESS * limit_us &&
	       (t->threads == 1 || us > ONE_RUN_US);
}

/* One sample is all it gets. */
static bool lost_at_once(struct series *s, double us)
{
	s->n = 1;
	s->us[0] = us;
	s->clock[0] = 0;
	s->disturbed[0] = false;
	s->slowdown[0] = 1;
	return false;
}

bool timing_measure(struct series *s, const struct timing *t, struct timed kernel, double limit_us)
{
	int64_t start = clock_ns();
	double us = series_begin(s, t, kernel);

	if (hopeless(t, us, limit_us))
		return lost_at_once(s, us);
	while (!race_is_run(s, t, start))
		series_add(s, t);
	if (lost(s, limit_us))
		return false;
	sample_until_settled(s, t, start);
	return true;
}
