/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/beside.c - a thread that takes samples while another one works and rests in turns. */
#include "measure/device/beside.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/quantile.h"
#include "measure/device/probe_cache.h"
#include "measure/device/probe_isa.h"
#include "measure/process/cpu_list.h"

enum {
	SAMPLE_NS = 500000,	/* long against the clock, short against preemption */
	WINDOW_SAMPLES = 48,	/* of either loop, which take some 50 ms: a rest is that long, work at least */
	WINDOW_MOST = 256,	/* that are kept */
	LEAST_TURNS = 5,	/* for a spread of them to mean something */
	SLICE = 4 << 20,	/* bytes that a sample reads: about as long */
	LEAST_SLICES = 16,	/* and in all, and at most: a guest may see another's caches */
	MOST_SLICES = 32,
};

/* Rest, work, rest, work, ..., rest. */
enum { WINDOWS = 2 * BESIDE_TURNS + 1 };

/* What was seen between two changes; ns. */
struct watch_window {
	int n;
	double compute[WINDOW_MOST], memory[WINDOW_MOST];
};

struct watch {
	const char *cpus;
	const struct probe_isa *isa;
	int64_t rounds;		/* of the loop that computes, in a sample */
	char *data;
	int slices, at;
	pthread_mutex_t mutex;
	pthread_cond_t more;	/* a sample was taken */
	int open;		/* the window that samples belong to; WINDOWS: no more are wanted */
	struct watch_window window[WINDOWS];
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
	pthread_mutex_lock(&w->mutex);
	while (w->open < WINDOWS) {
		double compute, memory;
		int open = w->open;
		struct watch_window *in = &w->window[open];

		pthread_mutex_unlock(&w->mutex);
		take_sample(w, &compute, &memory);
		pthread_mutex_lock(&w->mutex);
		if (w->open != open || in->n == WINDOW_MOST)	/* what reaches into two says nothing */
			continue;
		in->compute[in->n] = compute;
		in->memory[in->n++] = memory;
		pthread_cond_signal(&w->more);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

/* --- who works */

static void open_window(struct watch *w, int open)
{
	pthread_mutex_lock(&w->mutex);
	w->open = open;
	pthread_mutex_unlock(&w->mutex);
}

static bool has_enough(struct watch *w, int open)
{
	pthread_mutex_lock(&w->mutex);
	bool enough = w->window[open].n >= WINDOW_SAMPLES;
	pthread_mutex_unlock(&w->mutex);
	return enough;
}

static void rest(struct watch *w, int open)
{
	open_window(w, open);
	pthread_mutex_lock(&w->mutex);
	while (w->window[open].n < WINDOW_SAMPLES)
		pthread_cond_wait(&w->more, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}

static int work_in(struct watch *w, int open, int (*work)(void *user), void *user)
{
	int rc = 0;

	open_window(w, open);
	while (rc == 0 && !has_enough(w, open))
		rc = work(user);
	return rc;
}

/* --- what it comes to */

/* How much longer a loop took in the middle one of three windows. */
static double growth(double before, double beside, double after)
{
	return beside / ((before + after) / 2) - 1;
}

/* The median of N growths, and two standard errors of it: 1.25 sigma / sqrt(n), sigma from the distance of the
 * quartiles (both of the normal distribution). */
static double settle(double *x, int n, double *error)
{
	double middle = median(x, n), sigma = (quantile(x, n, 0.75) - quantile(x, n, 0.25)) / 1.35;

	*error = 2 * 1.25 * sigma / sqrt(n);
	return middle;
}

/* What the first TURNS turns come to; their windows are closed. */
static void judge_turns(const double *compute, const double *memory, int turns, struct beside_effect *out)
{
	double c[BESIDE_TURNS], m[BESIDE_TURNS], c_error, m_error;

	for (int i = 0; i < turns; i++) {
		c[i] = growth(compute[2 * i], compute[2 * i + 1], compute[2 * i + 2]);
		m[i] = growth(memory[2 * i], memory[2 * i + 1], memory[2 * i + 2]);
	}
	out->compute = settle(c, turns, &c_error);
	out->memory = settle(m, turns, &m_error);
	out->quiet = fmax(c_error, m_error);
}

static int slices_of(const struct device *d)
{
	int64_t n = 2 * device_cache_bytes(d, DEVICE_CACHES) / SLICE;

	return (int)(n < LEAST_SLICES ? LEAST_SLICES : n > MOST_SLICES ? MOST_SLICES : n);
}

static bool is_clear(const struct beside_effect *b)
{
	return fmax(b->compute, b->memory) - b->quiet > BESIDE_MOST;
}

/* Is it known after TURNS turns what they come to, or that so many as are allowed would not tell? An error shrinks with
 * the root of their number. */
static bool is_settled(const struct beside_effect *b, int turns)
{
	return turns >= LEAST_TURNS &&
	       (b->quiet <= BESIDE_MOST / 2 || is_clear(b) ||
		b->quiet * sqrt((double)turns / BESIDE_TURNS) > BESIDE_MOST);
}

/* Turns of work and rest beside the watching thread. */
static int take_turns(struct watch *w, int (*work)(void *user), void *user, struct beside_effect *out)
{
	double compute[WINDOWS], memory[WINDOWS];
	bool settled = false;
	int rc = 0;

	for (int i = 0; i < WINDOWS && rc == 0 && !settled; i++) {
		if (i % 2 == 0)
			rest(w, i);
		else
			rc = work_in(w, i, work, user);
		open_window(w, i + 1);
		compute[i] = median(w->window[i].compute, w->window[i].n);
		memory[i] = median(w->window[i].memory, w->window[i].n);
		if (i % 2 == 0 && i > 0) {
			judge_turns(compute, memory, i / 2, out);
			settled = is_settled(out, i / 2);
		}
	}
	return rc;
}

int beside_measure(const struct device *d, const char *cpus, int (*work)(void *user), void *user,
		   struct beside_effect *out)
{
	struct watch *w = calloc(1, sizeof(*w));
	pthread_t thread;

	if (!w)
		die("out of memory");
	w->cpus = cpus;
	w->isa = probe_isa_of(target_here());
	w->slices = slices_of(d);
	w->data = probe_map((size_t)w->slices * SLICE);
	if (!w->data) {
		free(w);
		return -1;
	}
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->more, NULL);
	if (pthread_create(&thread, NULL, watch, w) != 0)
		die("cannot start a thread");
	int rc = take_turns(w, work, user, out);

	open_window(w, WINDOWS);
	pthread_join(thread, NULL);
	pthread_cond_destroy(&w->more);
	pthread_mutex_destroy(&w->mutex);
	munmap(w->data, (size_t)w->slices * SLICE);
	free(w);
	return rc;
}

enum beside_verdict beside_judge(const struct beside_effect *b)
{
	if (is_clear(b))
		return BESIDE_SEEN;
	if (b->quiet > BESIDE_MOST)
		return BESIDE_UNSURE;
	return b->compute > BESIDE_MOST || b->memory > BESIDE_MOST ? BESIDE_SEEN : BESIDE_UNSEEN;
}
