/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/sibling.c - bursts, the least of each thread, waiting. */
#include "measure/timing/sibling.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "codegen/team.h"

/* Of a burst: 8 us at 3.5 GHz, a hundred times what reading the clock takes, and little beside a sample of 60. */
enum { BURST_ROUNDS = 4096 };
/* What a process spends at first on the least of bursts. It goes on to improve: who has never been alone takes what he saw for that,
 * and measures as if nobody looked. */
#define FIRST_MS 5.0
/* One wait, at most: beside a sibling that computed for 86% of the time a core had 1 to 10 ms of its own, and then none for 10 to 300 ms,
 * seldom for up to a second (docs/performance.md). Where one was in vain the next is shorter by half of it, down to the least, until one is
 * not: somebody who never stops is not waited for, nor by those who wait for less at a time. */
#define PATIENCE_MS 500.0
#define LEAST_PATIENCE_MS 1.0

struct sibling {
	int threads;
	bool visits;		/* cores, one after the other, in the place of a team's threads */
	double patience_ms;
	struct core {
		int cpu;	/* that is visited */
		double least_ns, slowdown;
	} of[];			/* by thread */
};

typedef float lanes __attribute__((vector_size(16)));

/* Hides X from the compiler, which would keep one of equal chains. */
#if defined(__x86_64__)
#define OPAQUE(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define OPAQUE(x) __asm__ volatile("" : "+w"(x))
#else
#define OPAQUE(x) __asm__ volatile("" : "+m"(x))
#endif

/* As many chains as fill two units, or four, of 3 to 5 cycles of latency, in the registers of the baseline. */
#define CHAINS(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i) X(j) X(k) X(l)

static __attribute__((noinline)) void compute(int rounds)
{
	lanes half = { 0.5f, 0.5f, 0.5f, 0.5f };

	OPAQUE(half);
#define X(v) lanes v = half + half; OPAQUE(v);
	CHAINS(X)
#undef X
	for (int n = 0; n < rounds; n++) {
#define X(v) v = v * half + half;
		CHAINS(X)
#undef X
	}
#define X(v) OPAQUE(v);
	CHAINS(X)
#undef X
}

static double burst_ns(void)
{
	int64_t begin = clock_ns();

	compute(BURST_ROUNDS);
	return (double)(clock_ns() - begin);
}

static double burst(struct sibling *s, int thread)
{
	double ns = burst_ns();

	s->of[thread].least_ns = fmin(s->of[thread].least_ns, ns);
	return ns / s->of[thread].least_ns;
}

void sibling_look(struct sibling *s, int thread)
{
	s->of[thread].slowdown = burst(s, thread);
}

void sibling_look_again(struct sibling *s, int thread)
{
	s->of[thread].slowdown = fmax(s->of[thread].slowdown, burst(s, thread));
}

double sibling_slowdown(const struct sibling *s)
{
	double most = 1;

	for (int i = 0; i < s->threads; i++)
		most = fmax(most, s->of[i].slowdown);
	return most;
}

double sibling_least_ns(const struct sibling *s)
{
	double most = 0;

	for (int i = 0; i < s->threads; i++)
		most = fmax(most, s->of[i].least_ns);
	return most;
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

void sibling_visit_again(struct sibling *s)
{
	visit(s, sibling_look_again);
}

static bool all_are_alone(struct sibling *s)
{
	if (s->visits)
		visit(s, sibling_look);
	else
		team_run(s->threads, look, s);
	return sibling_slowdown(s) <= SIBLING_ALONE;
}

static struct sibling *begin(int threads, double least_ns)
{
	struct sibling *s = calloc(1, sizeof(*s) + (size_t)threads * sizeof(*s->of));

	if (!s)
		return NULL;
	s->threads = threads;
	s->patience_ms = PATIENCE_MS;
	for (int i = 0; i < threads; i++)
		s->of[i] = (struct core){ .least_ns = least_ns > 0 ? least_ns : HUGE_VAL, .slowdown = 1 };
	return s;
}

static void look_for_least(struct sibling *s)
{
	for (int64_t began = clock_ns(); ms_since(began) < FIRST_MS;)
		all_are_alone(s);
}

struct sibling *sibling_new(int threads, double least_ns)
{
	struct sibling *s = begin(threads, least_ns);

	if (s)
		look_for_least(s);
	return s;
}

struct sibling *sibling_of_cores(const int *cpus, int n)
{
	struct sibling *s = begin(n, 0);

	if (!s)
		return NULL;
	s->visits = true;
	for (int i = 0; i < n; i++)
		s->of[i].cpu = cpus[i];
	look_for_least(s);
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
