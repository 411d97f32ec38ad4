/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/sibling.c - looks, what a core is like alone, waiting. */
#include "measure/timing/sibling.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/quantile.h"
#include "codegen/team.h"
#include "measure/timing/burst.h"
#include "measure/timing/fixed.h"

/* What a process spends at first on what it does not know of its cores. It goes on to improve: who has never been alone takes what he saw
 * for that, and measures as if nobody looked. */
#define FIRST_MS 5.0
enum { FIRST_LOOKS = 1024, FIRST_LEAST = 8 };
/* The same of a process that nobody told what the fixed kernel takes in chains, for all that come after it: somebody beside stays for 10 to 200 ms. */
#define NOMINAL_MS 60.0
/* A nominal clock that is further from the usual one is none. Steps of clocks that were seen are up to 1.3 apart. */
#define FURTHEST 1.4
/* Two chains that differ by more tell of a clock that moved between them, or of an interrupt. One step of the clock of a Xeon is 2 to 3%. */
#define STEADY 0.01
/* 25 us of chains, for a clock that settles in 10 to 20; 45 us of bursts; 0.3 ms of them, beside turns of 10 ms. Chosen, not measured. */
enum { SETTLE_CHAINS = 8, BURSTS = 4, WAKING_BURSTS = 32 };
/* One wait, at most: beside a sibling that computed for 86% of the time a core had 1 to 10 ms of its own, and then none for 10 to 300 ms,
 * seldom for up to a second (docs/performance.md). Where one was in vain the next is shorter by half of it, down to the least, until one is
 * not: somebody who never stops is not waited for, nor by those who wait for less at a time. */
#define PATIENCE_MS 500.0
#define LEAST_PATIENCE_MS 1.0

/* What a thread has seen of its core. */
struct core {
	int cpu;		/* that is visited */
	double alone, last;	/* bursts in chains: the least that two in a row did not exceed; the last */
	double burst, clock_ns;	/* the longer burst, in chains, and a chain, of the looks at one sample */
	bool moved;
};

struct sibling {
	int threads;
	bool visits;		/* cores, one after the other, in the place of a team's threads */
	double patience_ms, nominal_ns, fixed_us, fixed_chains;
	struct core of[];	/* by thread */
};

static bool agree(double ns, double other_ns)
{
	return fmax(ns, other_ns) <= (1 + STEADY) * fmin(ns, other_ns);
}

/* Until the core has the clock of wide vectors, if it had another one: 10 to 20 us on a Xeon with AVX-512. */
static void settle(void)
{
	double before = chain_ns(), now = chain_ns();

	for (int i = 0; i < SETTLE_CHAINS && !agree(before, now); i++) {
		before = now;
		now = chain_ns();
	}
}

/* What one look has seen. */
struct glance {
	double first_ns, last_ns;	/* a chain, at its begin and at its end */
	double burst;			/* in chains */
};

/* Of two chains the shorter one counts: one that was interrupted tells of a clock that is a tenth of what it is, and the sample beside it would come
 * to a tenth of what it took. A burst that is long is tried again: a core that had no wide multiply-adds for a while takes them at a fraction of its
 * rate at first, where a chain takes what it always does. Somebody beside stays for longer. */
static struct glance look_at(struct core *c)
{
	double before = chain_ns();
	struct glance l = { .burst = HUGE_VAL };

	for (int i = 0; i == 0 || (i < BURSTS && l.burst > SIBLING_ALONE * c->alone); i++) {
		double burst = burst_ns(), after = chain_ns();

		l.last_ns = fmin(before, after);
		if (i == 0)
			l.first_ns = l.last_ns;
		burst /= l.last_ns;
		/* two in a row: a chain that was interrupted makes a burst short */
		if (agree(before, after)) {
			c->alone = fmin(c->alone, fmax(c->last, burst));
			c->last = burst;
		}
		l.burst = fmin(l.burst, burst);
		before = after;
	}
	return l;
}

void sibling_look(struct sibling *s, int thread)
{
	struct core *c = &s->of[thread];

	settle();
	struct glance now = look_at(c);

	c->burst = now.burst;
	c->clock_ns = now.last_ns;
	c->moved = false;
}

void sibling_look_again(struct sibling *s, int thread)
{
	struct core *c = &s->of[thread];
	struct glance now = look_at(c);

	c->burst = fmax(c->burst, now.burst);
	c->moved = !agree(c->clock_ns, now.first_ns);
	/* of a clock that moved the faster one: a time must not be flattered by when it was looked at */
	c->clock_ns = c->moved ? fmin(c->clock_ns, now.first_ns) : (c->clock_ns + now.first_ns) / 2;
}

double sibling_burst(const struct sibling *s)
{
	double most = 0;

	for (int i = 0; i < s->threads; i++)
		most = fmax(most, s->of[i].burst);
	return most;
}

double sibling_slowdown(const struct sibling *s)
{
	double most = 1;

	for (int i = 0; i < s->threads; i++)
		most = fmax(most, s->of[i].burst / s->of[i].alone);
	return most;
}

bool sibling_is_steady(const struct sibling *s)
{
	bool steady = true;

	for (int i = 0; i < s->threads; i++)
		steady &= !s->of[i].moved;
	return steady;
}

static double slowest_ns(const struct sibling *s)
{
	double most = 0;

	for (int i = 0; i < s->threads; i++)
		most = fmax(most, s->of[i].clock_ns);
	return most;
}

double sibling_clock(const struct sibling *s)
{
	double ns = slowest_ns(s);

	return ns > 0 ? s->nominal_ns / ns : 1;
}

struct cores_known sibling_known(const struct sibling *s)
{
	struct cores_known k = { .nominal_ns = s->nominal_ns, .fixed_us = s->fixed_us,
				 .fixed_chains = s->fixed_chains };

	for (int i = 0; i < s->threads; i++)
		k.alone = fmax(k.alone, s->of[i].alone);
	if (isinf(k.alone))
		k.alone = 0;
	return k;
}

static void look(struct team *t, int thread, void *user)
{
	team_wait(t, thread);	/* a thread that sleeps would be alone */
	sibling_look(user, thread);
}

/* Does DO_THERE on each core, and nothing on one that the thread may not go to. */
static void visit(struct sibling *s, void (*do_there)(struct sibling *s, int thread))
{
	cpu_set_t home, there;

	if (sched_getaffinity(0, sizeof(home), &home) < 0)
		return;
	for (int i = 0; i < s->threads; i++) {
		CPU_ZERO(&there);
		CPU_SET((size_t)s->of[i].cpu, &there);
		if (sched_setaffinity(0, sizeof(there), &there) == 0)
			do_there(s, i);
	}
	sched_setaffinity(0, sizeof(home), &home);
}

/* What others computed there may have left units asleep: behind 10 ms of kernels that permute bursts took 1.21 times as long, for more than 40 us. */
static void wake_and_look_again(struct sibling *s, int thread)
{
	for (int i = 0; i < WAKING_BURSTS; i++)
		burst_ns();
	settle();
	sibling_look_again(s, thread);
}

void sibling_visit_again(struct sibling *s)
{
	visit(s, wake_and_look_again);
}

static bool all_are_alone(struct sibling *s)
{
	if (s->visits)
		visit(s, sibling_look);
	else
		team_run(s->threads, look, s);
	return sibling_slowdown(s) <= SIBLING_ALONE;
}

static struct sibling *begin(int threads, struct cores_known known)
{
	struct sibling *s = calloc(1, sizeof(*s) + (size_t)threads * sizeof(*s->of));

	if (!s)
		return NULL;
	s->threads = threads;
	s->patience_ms = PATIENCE_MS;
	s->nominal_ns = known.nominal_ns;
	s->fixed_us = known.fixed_us;
	s->fixed_chains = known.fixed_chains;
	for (int i = 0; i < threads; i++)
		s->of[i] = (struct core){ .alone = known.alone > 0 ? known.alone : HUGE_VAL, .last = HUGE_VAL };
	return s;
}

/* What a burst takes alone; returns what a chain usually does. */
static double learn(struct sibling *s)
{
	double chain[FIRST_LOOKS];
	int n = 0;

	for (int64_t began = clock_ns(); n < FIRST_LEAST || (n < FIRST_LOOKS && ms_since(began) < FIRST_MS); n++) {
		all_are_alone(s);
		chain[n] = slowest_ns(s);
	}
	return median(chain, n);
}

/* What a chain takes at the clock at which the fixed kernel takes as long as it is known to; USUAL_NS where that cannot be. */
static void set_nominal(struct sibling *s, double usual_ns)
{
	double ns = s->fixed_us * 1e3 / s->fixed_chains;

	s->nominal_ns = ns > usual_ns / FURTHEST && ns < usual_ns * FURTHEST ? ns : usual_ns;
}

struct sibling *sibling_new(int threads, struct cores_known known)
{
	struct sibling *s = begin(threads, known);

	if (!s)
		return NULL;
	double usual_ns = learn(s);

	if (s->fixed_chains == 0)
		s->fixed_chains = fixed_in_chains(NOMINAL_MS);
	if (s->nominal_ns == 0)
		set_nominal(s, usual_ns);
	if (s->fixed_us == 0)
		s->fixed_us = s->fixed_chains * s->nominal_ns * 1e-3;
	return s;
}

struct sibling *sibling_of_cores(const int *cpus, int n)
{
	struct sibling *s = begin(n, (struct cores_known){ 0 });

	if (!s)
		return NULL;
	s->visits = true;
	for (int i = 0; i < n; i++)
		s->of[i].cpu = cpus[i];
	s->nominal_ns = learn(s);
	return s;
}

void sibling_free(struct sibling *s)
{
	free(s);
}

double sibling_await(struct sibling *s, double most_ms)
{
	int64_t begin = clock_ns();
	double most = fmin(most_ms, s->patience_ms), took = 0;
	bool alone = most > 0 && all_are_alone(s);

	while (!alone && took < most) {
		alone = all_are_alone(s);
		took = ms_since(begin);
	}
	s->patience_ms = alone ? PATIENCE_MS : fmax(LEAST_PATIENCE_MS, s->patience_ms - took / 2);
	return took;
}
