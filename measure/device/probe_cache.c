/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/probe_cache.c - cache sizes from the latency of dependent loads in growing sets.
 *
 * A set is a ring: one random cycle over all its lines, so that no prefetcher knows the next. It
 * grows in place by inserting lines at random spots. Where a set no longer fits a level, loads
 * come from the next one, and the curve steps up. */
#include "measure/device/probe_cache.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/rng.h"

enum {
	LINE = 64,	       /* bytes between ring nodes: no cache here has shorter lines */
	SMALLEST = 4 << 10,    /* fits every L1 */
	FINE_UP_TO = 4 << 20,  /* bytes; four sizes an octave to here */
	HALF_UP_TO = 32 << 20, /* two to here, one beyond: each pass costs 0.1 s and more */
	LARGEST = 256 << 20,
	MIN_STEPS = 1 << 14, /* loads a timing: 20 us and more, so that the clock's cost fades */
	MAX_STEPS = 1 << 18,
	TRIES = 5,
	LARGE_TRIES = 2,
	HUGE_PAGE = 2 << 20,
};

/* A level ends where latency leaves it for good: first roughly, by this factor (L1 to L2 and L2 to
 * L3 are three and more on Intel, AMD and ARM server cores; TLB misses are less), then at the
 * geometric mean of its latency and the next level's. */
static const double rough_step = 2.0;
/* From the last cache to memory it is less, and blurred by other guests. */
static const double memory_step = 1.5;

struct ring {
	char *data;
	size_t n; /* lines in the cycle */
	struct rng rng;
};

static void **node(const struct ring *r, size_t i)
{
	return (void **)(void *)(r->data + i * LINE);
}

static void ring_grow(struct ring *r, size_t n)
{
	for (; r->n < n; r->n++) {
		void **at = node(r, r->n);
		void **before = r->n ? node(r, (size_t)rng_below(&r->rng, (int64_t)r->n)) : at;

		*at = r->n ? *before : at;
		*before = at;
	}
}

/* Follows STEPS links (a multiple of 8) and returns the nanoseconds. */
static int64_t chase(void ***at, size_t steps)
{
	int64_t begin = clock_ns();
	void **p = *at;

	for (; steps > 0; steps -= 8) {
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		__asm__ volatile("" : "+r"(p));
	}
	*at = p;
	return clock_ns() - begin;
}

static double latency(struct ring *r, size_t bytes)
{
	size_t n = bytes / LINE, steps = 2 * n;
	int tries = bytes > FINE_UP_TO ? LARGE_TRIES : TRIES;
	void **at = node(r, 0);
	double best = 0;

	if (steps < MIN_STEPS)
		steps = MIN_STEPS;
	if (steps > MAX_STEPS)
		steps = MAX_STEPS;
	ring_grow(r, n);
	chase(&at, n); /* a whole pass: what stays in the caches is what fits */
	for (int i = 0; i < tries; i++) {
		double ns = (double)chase(&at, steps) / (double)steps;

		if (i == 0 || ns < best)
			best = ns;
	}
	return best;
}

/* The size after BYTES: all of 1, 1.25, 1.5, 1.75 x 2^k while fine, among them every usual cache
 * size. */
static size_t next_size(size_t bytes)
{
	size_t octave = SMALLEST;

	while (2 * octave <= bytes)
		octave *= 2;
	return bytes + octave / (bytes < FINE_UP_TO ? 4 : bytes < HALF_UP_TO ? 2 : 1);
}

/* The largest size from point FROM on whose latency is below LIMIT; its index. */
static int last_below(const struct device_measured *m, int from, double limit)
{
	int last = from;

	for (int i = from; i < m->n_points; i++) {
		if (m->points[i].ns < limit)
			last = i;
	}
	return last;
}

/* The first point of at least BYTES; the last one where there is none. */
static int point_at(const struct device_measured *m, int64_t bytes)
{
	int i = 0;

	while (i < m->n_points - 1 && m->points[i].bytes < bytes)
		i++;
	return i;
}

/* The last point of the level whose latency is FROM's, before the one that follows. */
static int level_end(const struct device_measured *m, int from)
{
	double ns = m->points[from].ns;
	int rough = last_below(m, from, ns * rough_step);

	if (rough == m->n_points - 1)
		return rough;

	int next = point_at(m, 2 * m->points[rough].bytes);

	return last_below(m, from, sqrt(ns * m->points[next].ns));
}

void probe_read_curve(struct device *d)
{
	const struct device_measured *m = &d->measured;
	int end = m->n_points - 1;

	for (int i = 0; i < DEVICE_CACHES; i++)
		d->caches[i].probed = 0;

	int l1 = level_end(m, point_at(m, 2 * SMALLEST));

	if (l1 >= end)
		return;
	d->caches[0].probed = m->points[l1].bytes;

	/* well inside the next level: it is at least four times as large as L1 in every design */
	int l2 = level_end(m, point_at(m, 2 * m->points[l1].bytes));

	if (l2 >= end)
		return;
	d->caches[1].probed = m->points[l2].bytes;

	int in_l3 = point_at(m, 2 * m->points[l2].bytes);
	double l3_ns = m->points[in_l3].ns, mem_ns = m->points[end].ns;

	if (mem_ns < l3_ns * memory_step)
		return; /* no third level, or one that holds the largest set */
	d->caches[2].probed = m->points[last_below(m, in_l3, sqrt(l3_ns * mem_ns))].bytes;
}

size_t probe_largest(void)
{
	int64_t pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	size_t eighth = pages > 0 && page > 0 ? (size_t)(pages * page / 8) : LARGEST;
	size_t size = LARGEST;

	while (size > eighth && size > FINE_UP_TO)
		size /= 2;
	return size;
}

void *probe_map(size_t size)
{
	/* asked for more, so that a part of it starts on a huge page */
	size_t whole = size + HUGE_PAGE;
	char *p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		err_set("probe: no memory for %zu MB; stop what uses it, or raise the limit",
			size >> 20);
		return NULL;
	}

	size_t front = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;

	if (front)
		munmap(p, front);
	munmap(p + front + size, whole - front - size);
	madvise(p + front, size, MADV_HUGEPAGE);
	memset(p + front, 0, size);
	return p + front;
}

int probe_caches(struct device *d)
{
	struct device_measured *m = &d->measured;
	size_t largest = probe_largest();
	struct ring ring = {.data = probe_map(largest), .rng = rng_seed(1)};

	if (!ring.data)
		return -1;
	m->n_points = 0;
	for (size_t bytes = SMALLEST; bytes <= largest && m->n_points < DEVICE_POINTS;
	     bytes = next_size(bytes)) {
		m->points[m->n_points++] =
			(struct device_point){(int64_t)bytes, latency(&ring, bytes)};
	}
	munmap(ring.data, largest);
	probe_read_curve(d);
	return 0;
}
