/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/beside.c - a thread that takes samples before, beside and after the work of another. */
#include "measure/device/beside.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/quantile.h"
#include "measure/device/probe_cache.h"
#include "measure/device/probe_isa.h"
#include "measure/process/cpu_list.h"

enum {
	SAMPLE_NS = 500000,	/* long against the clock, short against preemption */
	SAMPLES = 96,		/* of either loop: medians of so many agree within 1% on a quiet core */
	SLICE = 4 << 20,	/* bytes that a sample reads: about as long */
	LEAST_SLICES = 16,	/* and in all, and at most: a guest may see another's caches */
	MOST_SLICES = 32,
};

enum beside_stage { STAGE_BEFORE, STAGE_BESIDE, STAGE_AFTER };
enum { STAGES = STAGE_AFTER + 1 };

struct watch {
	const char *cpus;
	const struct probe_isa *isa;
	int64_t rounds;		/* of the loop that computes, in a sample */
	char *data;
	int slices, at;
	atomic_int stage;	/* set by the watcher, but the last by who works */
	double compute[STAGES][SAMPLES], memory[STAGES][SAMPLES];	/* ns */
};

static void take_sample(struct watch *w, double *compute, double *memory)
{
	*compute = (double)probe_fma_ns(w->isa, w->rounds);
	int64_t begin = clock_ns();

	w->isa->read(w->data + (size_t)w->at * SLICE, SLICE, 1);
	*memory = (double)(clock_ns() - begin);
	w->at = (w->at + 1) % w->slices;
}

static void *watch(void *user)
{
	struct watch *w = user;

	cpu_list_bind(w->cpus, 0);
	w->rounds = probe_fma_rounds(w->isa, SAMPLE_NS);
	for (int stage = STAGE_BEFORE; stage <= STAGE_AFTER; stage++) {
		while (stage == STAGE_AFTER && atomic_load(&w->stage) != STAGE_AFTER)
			nanosleep(&(struct timespec){ .tv_nsec = SAMPLE_NS }, NULL);
		for (int i = 0; i < SAMPLES; i++)
			take_sample(w, &w->compute[stage][i], &w->memory[stage][i]);
		if (stage == STAGE_BEFORE)
			atomic_store(&w->stage, STAGE_BESIDE);
		else if (stage == STAGE_BESIDE)
			atomic_store(&w->stage, STAGE_AFTER + 1);	/* enough: the work ends */
	}
	return NULL;
}

static double median(double *x)
{
	sort_figures(x, SAMPLES);
	return quantile(x, SAMPLES, 0.5);
}

/* How much longer X took beside the work, and how unlike it was before and after. */
static double growth(double x[STAGES][SAMPLES], double *unlike)
{
	double before = median(x[STAGE_BEFORE]), after = median(x[STAGE_AFTER]);

	*unlike = fmax(before, after) / fmin(before, after) - 1;
	return median(x[STAGE_BESIDE]) / ((before + after) / 2) - 1;
}

static int slices_of(const struct device *d)
{
	int64_t n = 2 * device_cache_bytes(d, DEVICE_CACHES) / SLICE;

	return (int)(n < LEAST_SLICES ? LEAST_SLICES : n > MOST_SLICES ? MOST_SLICES : n);
}

/* As beside_measure(), once. */
static int try_once(struct watch *w, int (*work)(void *user), void *user, struct beside_effect *out)
{
	double compute, memory;
	pthread_t thread;
	int rc = 0;

	atomic_store(&w->stage, STAGE_BEFORE);
	if (pthread_create(&thread, NULL, watch, w) != 0)
		die("cannot start a thread");
	while (atomic_load(&w->stage) == STAGE_BEFORE)
		nanosleep(&(struct timespec){ .tv_nsec = SAMPLE_NS }, NULL);
	while (atomic_load(&w->stage) == STAGE_BESIDE && rc == 0)
		rc = work(user);
	while (atomic_load(&w->stage) == STAGE_BESIDE)
		nanosleep(&(struct timespec){ .tv_nsec = SAMPLE_NS }, NULL);
	atomic_store(&w->stage, STAGE_AFTER);
	pthread_join(thread, NULL);
	out->compute = growth(w->compute, &compute);
	out->memory = growth(w->memory, &memory);
	out->quiet = fmax(compute, memory);
	return rc;
}

int beside_measure(const struct device *d, const char *cpus, int (*work)(void *user), void *user,
		   struct beside_effect *out)
{
	struct watch w = { .cpus = cpus, .isa = probe_isa_of(target_here()), .slices = slices_of(d) };
	struct beside_effect sum = { 0 };
	int rc = 0;

	w.data = probe_map((size_t)w.slices * SLICE);
	if (!w.data)
		return -1;
	out->quiet = HUGE_VAL;
	for (int n = 1; n <= BESIDE_TRIES && rc == 0 && out->quiet > BESIDE_MOST; n++) {
		struct beside_effect seen;

		rc = try_once(&w, work, user, &seen);
		sum.compute += seen.compute;
		sum.memory += seen.memory;
		sum.quiet += seen.quiet;
		out->compute = sum.compute / n;
		out->memory = sum.memory / n;
		out->quiet = sum.quiet / n / sqrt(n);	/* the error of a mean */
	}
	munmap(w.data, (size_t)w.slices * SLICE);
	return rc;
}

enum beside_verdict beside_judge(const struct beside_effect *b)
{
	if (b->quiet > BESIDE_MOST)
		return BESIDE_UNSURE;
	return b->compute > BESIDE_MOST || b->memory > BESIDE_MOST ? BESIDE_SEEN : BESIDE_UNSEEN;
}
