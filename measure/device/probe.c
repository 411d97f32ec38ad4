/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/probe.c - peak multiply-add rate and read bandwidths, with one thread and with all.
 *
 * Each figure is the best of several short rounds: what disturbs a round only ever slows it. With
 * all threads a round runs from the moment that all are ready to the end of the last. */
#include "measure/device/probe.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/device/noise.h"
#include "measure/device/probe_cache.h"
#include "measure/device/probe_isa.h"
#include "measure/timing/burst.h"

enum {
	ROUND_NS = 1000000,	 /* long against the clock, short against preemption */
	CREW_ROUND_NS = 5000000, /* long against waking threads, 50 us in a guest */
	FMA_ROUNDS = 100,
	READ_ROUNDS = 30,
	MEM_ROUNDS = 6,
	READ_UNIT = 16 * 64, /* bytes: what one pass of the widest read kernel takes */
	CREW_SHARE = 4,	     /* one round in so many with all threads */
	FIXED_ROUNDS = 100,  /* of the fixed kernel: 5 ms, some of it undisturbed on a busy core */
	FIXED_MOST = 6000,   /* 0.3 s: no time slice lasts so long */
};

static const double noise_seconds = 0.3;
/* bytes a nanosecond, for the length of rounds */
static const double usual_l1 = 150, usual_l2 = 60, usual_l3 = 20;

/* One thing to time: the multiply-add kernel, or reading SIZE bytes. */
struct probe_work {
	const struct probe_isa *isa;
	size_t size;	/* bytes for each thread; 0: multiply-add */
	int64_t repeat; /* of the kernel in a round */
	int rounds;
};

struct crew {
	const struct probe_work *work;
	const int *cpus;
	int threads;
	pthread_mutex_t gate; /* held until all threads exist */
	bool called_off;      /* because not all could be made */
	pthread_barrier_t start;
	double best; /* operations or bytes a nanosecond; of the thread with index 0 */
	double chain_ns; /* behind that round: its clock */
};

struct member {
	struct crew *crew;
	int index;
	char *data;
	pthread_t thread;
};

static void run(const struct probe_work *w, const void *data)
{
	if (w->size)
		w->isa->read(data, w->size, w->repeat);
	else
		w->isa->fma(w->repeat);
}

/* Bytes, or floating-point operations, that one thread does in a round. */
static double amount(const struct probe_work *w)
{
	double lanes = (double)w->isa->target->vector_bytes / sizeof(float);

	if (w->size)
		return (double)w->size * (double)w->repeat;
	return 2 * lanes * w->isa->chains * (double)w->repeat;
}

static void pin(size_t cpu)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);

	if (!set)
		return;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	/* where it is refused, the kernel's placement has to do */
	sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

static void *member_main(void *arg)
{
	struct member *me = arg;
	struct crew *crew = me->crew;

	pthread_mutex_lock(&crew->gate);
	pthread_mutex_unlock(&crew->gate);
	if (crew->called_off)
		return NULL;
	if (crew->threads > 1)
		pin((size_t)crew->cpus[me->index]);
	run(crew->work, me->data); /* wakes clock and caches up */
	for (int i = 0; i < crew->work->rounds; i++) {
		pthread_barrier_wait(&crew->start);

		int64_t begin = clock_ns();

		run(crew->work, me->data);
		pthread_barrier_wait(&crew->start);
		if (me->index > 0)
			continue;

		double rate = amount(crew->work) * crew->threads / (double)(clock_ns() - begin);

		if (rate > crew->best) {
			crew->best = rate;
			crew->chain_ns = fmin(chain_ns(), chain_ns());
		}
	}
	return NULL;
}

static int crew_run(struct crew *crew, struct member *members)
{
	int made = 0, rc = 0;

	pthread_mutex_init(&crew->gate, NULL);
	pthread_barrier_init(&crew->start, NULL, (unsigned)crew->threads);
	pthread_mutex_lock(&crew->gate);
	while (made < crew->threads && rc == 0) {
		struct member *m = &members[made];

		m->crew = crew;
		m->index = made;
		rc = pthread_create(&m->thread, NULL, member_main, m);
		made += rc == 0;
	}
	crew->called_off = rc != 0;
	pthread_mutex_unlock(&crew->gate);
	for (int i = 0; i < made; i++)
		pthread_join(members[i].thread, NULL);
	pthread_barrier_destroy(&crew->start);
	pthread_mutex_destroy(&crew->gate);
	if (rc)
		return err_set("probe: cannot start thread %d of %d: %s; raise the limit on "
			       "processes (ulimit -u)",
			       made + 1, crew->threads, strerror(rc));
	return 0;
}

/* Times WORK with THREADS threads; the best rate, per nanosecond, into *RATE, and what a chain took then into *CHAIN_NS, unless NULL. */
static int rate(const struct device *d, struct probe_work work, int threads, double *rate_out, double *chain_ns)
{
	struct member *members = calloc((size_t)threads, sizeof(*members));
	struct crew crew = {.work = &work, .cpus = d->cpus, .threads = threads};
	char *data = NULL;
	int rc = 0;

	if (!members)
		die("out of memory");
	if (threads > 1)
		work.rounds = 1 + work.rounds / CREW_SHARE;
	if (work.size) {
		data = probe_map(work.size * (size_t)threads);
		for (int i = 0; data && i < threads; i++)
			members[i].data = data + (size_t)i * work.size;
		rc = data ? 0 : -1;
	}
	if (rc == 0)
		rc = crew_run(&crew, members);
	if (data)
		munmap(data, work.size * (size_t)threads);
	free(members);
	*rate_out = crew.best;
	if (chain_ns)
		*chain_ns = crew.chain_ns;
	return rc;
}

/* Both rates of WORK, whose `repeat` is for ROUND_NS; CHAIN_NS as rate() has it, with one thread. */
static int both_rates(const struct device *d, struct probe_work work, struct device_rate *out, double *chain_ns)
{
	if (rate(d, work, 1, &out->one, chain_ns) < 0)
		return -1;
	if (d->threads == 1) {
		out->all = out->one;
		return 0;
	}
	work.repeat *= CREW_ROUND_NS / ROUND_NS;
	return rate(d, work, d->threads, &out->all, NULL);
}

/* Reads half of a level that holds BYTES, so that it also fits beside the rest. A round takes
 * ROUND_NS where the level gives USUAL bytes a nanosecond. */
static int read_rates(const struct device *d, int64_t bytes, double usual, struct device_rate *out)
{
	size_t size = (size_t)bytes / 2 / READ_UNIT * READ_UNIT;
	struct probe_work work = {probe_isa_of(d->own), size, 1, READ_ROUNDS};

	if (size == 0)
		return 0; /* no such level: no rate */
	work.repeat += (int64_t)(usual * ROUND_NS / (double)size);
	return both_rates(d, work, out, NULL);
}

int64_t probe_l3_set(int64_t l2, int64_t l3, int threads)
{
	int64_t share = l3 / 2 / threads, beyond = 3 * l2 / 2;

	if (beyond > l3 / 2)
		return 0;
	return share > beyond ? share : beyond;
}

/* Each thread has its share of the level, or what its own second level does not hold, though all of these together may be more than the level does:
 * that is what threads get of it then. */
static int l3_rates(const struct device *d, struct device_rate *out)
{
	int64_t l2 = device_cache_bytes(d, 2), l3 = device_cache_bytes(d, 3);
	struct probe_work work = { .isa = probe_isa_of(d->own), .rounds = READ_ROUNDS };
	double *rates[] = { &out->one, &out->all };

	for (int i = 0; i < 2; i++) {
		int threads = i ? d->threads : 1;

		work.size = (size_t)probe_l3_set(l2, l3, threads) / READ_UNIT * READ_UNIT;
		if (work.size == 0)
			return 0;
		work.repeat = 1 + (int64_t)(usual_l3 * (i ? CREW_ROUND_NS : ROUND_NS) / (double)work.size);
		if (rate(d, work, threads, rates[i], NULL) < 0)
			return -1;
	}
	return 0;
}

static int mem_rates(const struct device *d, struct device_rate *out)
{
	struct probe_work work = {probe_isa_of(d->own), probe_largest(), 1, MEM_ROUNDS};

	if (rate(d, work, 1, &out->one, NULL) < 0)
		return -1;
	if (d->threads == 1) {
		out->all = out->one;
		return 0;
	}
	/* one set shared out: together they are beyond any cache that one alone is beyond */
	work.size = work.size / (size_t)d->threads / READ_UNIT * READ_UNIT;
	work.rounds *= CREW_SHARE;
	return rate(d, work, d->threads, &out->all, NULL);
}

double probe_fixed_us(double kept)
{
	double best = 0;

	for (int i = 0; i < FIXED_MOST; i++) {
		double us = fixed_ns() * 1e-3;

		if (best == 0 || us < best)
			best = us;
		if (i >= FIXED_ROUNDS && best <= (1 + DEVICE_MOVED) * kept)
			break;
	}
	return best;
}

/* Multiply-adds of each target that runs here. */
static int peak_rates(struct device *d)
{
	for (int i = 0; i < TARGET_COUNT; i++) {
		if (!target_at(i)->runs())
			continue;
		const struct probe_isa *isa = probe_isa_of(target_at(i));
		struct probe_work fma = {isa, 0, probe_fma_rounds(isa, ROUND_NS), FMA_ROUNDS};

		if (both_rates(d, fma, &d->measured.peak[i], target_at(i) == d->own ? &d->measured.chain_ns : NULL) < 0)
			return -1;
	}
	return 0;
}

int probe_rates(struct device *d)
{
	struct device_measured *m = &d->measured;
	struct noise noise;

	if (peak_rates(d) < 0 ||
	    read_rates(d, device_cache_bytes(d, 1), usual_l1, &m->l1) < 0 ||
	    read_rates(d, device_cache_bytes(d, 2), usual_l2, &m->l2) < 0 ||
	    l3_rates(d, &m->l3) < 0 || mem_rates(d, &m->mem) < 0)
		return -1;
	noise_measure(noise_seconds, &noise);
	m->noise = noise.p90 / noise.p10;
	return 0;
}
