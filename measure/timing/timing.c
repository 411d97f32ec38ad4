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

static void calibrate(int32_t phase, void *const *args, void *workspace, int32_t thread,
		      int32_t threads)
{
	/* Eight chains hide the latency of a multiply and add; the barrier keeps the loop. */
	float v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	(void)phase, (void)args, (void)workspace, (void)thread, (void)threads;
	for (int i = 0; i < 12000; i++) {
		for (int j = 0; j < 8; j++)
			v[j] = v[j] * 0.9999f + 0.0001f;
		__asm__ volatile("" : "+m"(v));
	}
}

static int32_t one_phase(void)
{
	return 1;
}

static const struct callable calibration = { .phases = one_phase, .part = calibrate };
const struct timed timing_calibration = { .call = &calibration, .threads = 1 };

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

	if (k.call != timing_calibration.call)	/* which works in registers */
		flush_caches(t->flush);
	if (k.evicted)
		evict(k.evicted);
	if (k.handed_on)
		evict(k.handed_on);
	team_run(k.threads, take_sample, &s);
	*disturbed |= s.disturbed;
	return (double)s.ns * 1e-3 / repeats;
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
	bool disturbed, also;

	s->kernel = kernel;
	s->n = 0;
	s->waited_ms = 0;
	await_quiet(s, t);
	steal_begin(&s->steal, steal_ticks(), clock_ns());
	double us = estimate(t, kernel, &disturbed);
	double reference_us = estimate(t, t->reference, &also);

	s->repeats = choose_repeats(t, kernel, us);
	s->reference_repeats = choose_repeats(t, t->reference, reference_us);
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

void series_add(struct series *s, const struct timing *t)
{
	bool disturbed = false;

	if (s->n == SAMPLES_MAX)
		return;
	await_quiet(s, t);
	s->us[s->n] = sample(t, t->sibling, s->kernel, s->repeats, &disturbed);
	s->slowdown[s->n] = t->sibling ? sibling_slowdown(t->sibling) : 1;
	s->reference_us[s->n] = sample(t, NULL, t->reference, s->reference_repeats, &disturbed);
	s->disturbed[s->n++] = disturbed;
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

static bool lost(const struct series *s, struct race race)
{
	double reference[RACE_SAMPLES_MAX], best = HUGE_VAL;

	if (race.limit_us <= 0)
		return false;
	for (int i = 0; i < s->n; i++) {
		best = fmin(best, alone_us(s, i));
		reference[i] = s->reference_us[i];
	}
	/* A machine that has become slower excuses the kernel; a faster one condemns nobody. */
	double drift = race.reference_us > 0 ? median(reference, s->n) / race.reference_us : 1;

	return best > race.limit_us * fmax(1, drift);
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
double race_deadline_us(struct race race)
{
	return race.limit_us > 0 ? fmax(ONE_RUN_US, HOPELESS * HOPELESS * race.limit_us) : 0;
}

/* A thread that another one waits for may have been preempted before the run began, which no
 * counter tells. */
static bool hopeless(const struct timing *t, double us, struct race race)
{
	return race.limit_us > 0 && us > HOPELESS * race.limit_us &&
	       (t->threads == 1 || us > ONE_RUN_US);
}

/* One sample, and of the reference another, are all it gets. */
static bool lost_at_once(struct series *s, const struct timing *t, double us)
{
	bool disturbed = false;

	s->n = 1;
	s->us[0] = us;
	s->reference_us[0] = sample(t, NULL, t->reference, 1, &disturbed);
	s->disturbed[0] = disturbed;
	s->slowdown[0] = 1;
	return false;
}

bool timing_measure(struct series *s, const struct timing *t, struct timed kernel, struct race race)
{
	int64_t start = clock_ns();
	double us = series_begin(s, t, kernel);

	if (hopeless(t, us, race))
		return lost_at_once(s, t, us);
	while (!race_is_run(s, t, start))
		series_add(s, t);
	if (lost(s, race))
		return false;
	sample_until_settled(s, t, start);
	return true;
}
