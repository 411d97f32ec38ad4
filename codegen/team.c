/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/team.c - one parallel region of OpenMP, and a barrier inside it that spins.
 *
 * The barrier is by dissemination (Hensgen, Finkel and Manber, "Two algorithms for barrier
 * synchronization", 1988): in round k each thread signals, and then waits for the one 2^k seats before
 * it. With two threads each writes one line of the cache and reads one. */
#include "codegen/team.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* So many looks, 20 us and more, are worth not asking the system; beyond them another program has
 * the core of whoever is late. */
enum { LOOKS = 2000 };

/* Of one thread, who alone writes to it: how many signals it has given. */
struct seat {
	_Alignas(CALLABLE_ALIGN) atomic_uint_fast64_t signals;
};

/* As each thread has it: to tell the others of it would take another barrier. */
struct team {
	int threads;
	struct seat *seats;
};

static inline void pause_core(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Until SEAT has given SIGNALS. */
static void await(struct seat *seat, uint_fast64_t signals)
{
	for (int looks = 0; atomic_load_explicit(&seat->signals, memory_order_acquire) < signals;) {
		if (++looks < LOOKS)
			pause_core();
		else
			sched_yield();
	}
}

void team_wait(struct team *t, int thread)
{
	struct seat *own = &t->seats[thread];

	for (int before = 1; before < t->threads; before *= 2) {
		uint_fast64_t signals =
			atomic_load_explicit(&own->signals, memory_order_relaxed) + 1;
		int other = thread - before;

		atomic_store_explicit(&own->signals, signals, memory_order_release);
		await(&t->seats[other < 0 ? other + t->threads : other], signals);
	}
}

/* OpenMP may give fewer threads than asked, as inside another team. */
static void run_region(int threads, struct seat *seats, void (*work)(struct team *t, int thread, void *user), void *user)
{
	#pragma omp parallel num_threads(threads)
	{
		struct team t = { omp_get_num_threads(), seats };

		work(&t, omp_get_thread_num(), user);
	}
}

void team_run(int threads, void (*work)(struct team *t, int thread, void *user), void *user)
{
	size_t bytes = sizeof(struct seat) * (size_t)threads;
	struct seat *seats = aligned_alloc(_Alignof(struct seat), bytes);

	if (!seats)
		die("out of memory (%d threads)", threads);
	memset(seats, 0, bytes);
	if (threads > 1)
		run_region(threads, seats, work, user);
	else
		work(&(struct team){ 1, seats }, 0, user);
	free(seats);
}

void callable_run(const struct callable *c, struct team *t, int thread, void *const *args,
		  void *workspace)
{
	const int32_t phases = c->phases();

	for (int32_t phase = 0; phase < phases; phase++) {
		if (phase > 0)
			team_wait(t, thread);
		c->part(phase, args, workspace, thread, t->threads);
	}
}

/* What callable_call was given. */
struct call {
	const struct callable *callable;
	void *const *args;
	void *workspace;
};

static void call(struct team *t, int thread, void *user)
{
	const struct call *c = user;

	callable_run(c->callable, t, thread, c->args, c->workspace);
}

void callable_call(const struct callable *c, int threads, void *const *args, void *workspace)
{
	team_run(threads, call, &(struct call){ c, args, workspace });
}
