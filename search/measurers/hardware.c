/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/hardware.c - candidates are compiled and run on this machine. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/build/builder.h"
#include "measure/timing/calm.h"
#include "measure/process/device_lock.h"
#include "measure/runner/runner.h"
#include "search/measurers/measurer.h"
#include "search/trust/speed_limit.h"
#include "search/trust/spot_check.h"

/* Samples of each of the best when they are measured again. */
enum { CONFIRM_ROUNDS = 15 };
/* Trials between two looks at who else uses the machine: about a second. */
enum { UNWATCHED = 4 };
/* Of a cache: what streams through it pushes out all else, also where it does not take turns. */
enum { FLUSHES = 2 };

struct hardware {
	struct measurer m;	/* first */
	struct hardware_options o;
	struct build_pool *builder;
	struct runner *runner;
	struct device_lock *lock;
	struct calm *calm;
	struct arena *task;	/* what the runner knows of the present task */
	double limit_us;	/* of the present task: less is a mistake; 0: unknown */
};

static void take_device(struct hardware *h)
{
	double waited = device_lock_take(h->lock);

	h->m.spent.wait += waited;
	h->m.disturbed_s = waited;
}

static void wait_for_calm(struct hardware *h)
{
	h->m.spent.wait += calm_wait(h->calm, runner_cpus(h->runner), runner_pid(h->runner));
	h->m.disturbed_s = fmax(h->m.disturbed_s, calm_disturbed_s(h->calm));
}

static void set_flush(struct workload *w, const struct device *d)
{
	int last = DEVICE_CACHES;

	while (last > 1 && device_cache_bytes(d, last) == 0)
		last--;
	w->flush_bytes = FLUSHES * (size_t)device_cache_bytes(d, last);
	w->flush_private = FLUSHES * (size_t)device_cache_bytes(d, last > 1 ? last - 1 : last);
}

/* As begin(). */
static int check_reference(struct hardware *h, const struct task *t)
{
	const void *data[WORKLOAD_ARGS], *bound[WORKLOAD_ARGS];

	for (int set = 0; set < INPUT_SETS; set++) {
		if (runner_look(h->runner, set, data, bound) < 0)
			return -1;
		if (spot_check(t->dag, data, bound, h->o.seed) < 0)
			return 1;
	}
	return 0;
}

/* What a task is verified against is computed, and its clock calibrated, when it begins. */
static int begin(struct measurer *m, const struct task *t, double incumbent_us)
{
	struct hardware *h = (struct hardware *)m;

	arena_reset(h->task);
	struct workload w = task_workload(h->task, t, h->o.threads, h->o.cache, h->o.seed);

	if (task_reference(h->task, t, &w) < 0)
		return 1;
	set_flush(&w, h->o.device);
	take_device(h);
	int64_t began = clock_ns();
	int rc = runner_set_workload(h->runner, h->builder, &w);

	device_lock_release(h->lock);
	if (rc > 0)
		task_suspect(h->task, t);
	else if (rc == 0)
		rc = check_reference(h, t);
	h->limit_us = speed_limit_us(t->dag, h->o.device, h->o.threads);
	m->spent.verify += seconds_since(began);
	if (rc == 0)
		wait_for_calm(h);	/* so that what is measured next looks back to here */
	if (rc == 0 && incumbent_us > 0)
		runner_set_incumbent(h->runner, incumbent_us);
	return rc;
}

static int build(struct hardware *h, struct arena *a, struct trial *trials, int n)
{
	int64_t began = clock_ns();
	int rc = build_together(a, h->builder, trials, n);

	h->m.spent.build += seconds_since(began);
	return rc;
}

static int run_again(struct hardware *h, struct arena *a, struct trial *trials, int n)
{
	wait_for_calm(h);
	return remeasure(a, h->runner, trials, n, CONFIRM_ROUNDS);
}

static int run_watched(struct hardware *h, struct arena *a, struct trial *trials, int n)
{
	int rc = 0;

	for (int i = 0; i < n && rc == 0; i += UNWATCHED) {
		wait_for_calm(h);
		rc = measure_all(a, h->runner, trials + i, n - i < UNWATCHED ? n - i : UNWATCHED);
	}
	return rc;
}

static int run(struct hardware *h, struct arena *a, struct trial *trials, int n, bool again)
{
	double verify_s = 0;

	take_device(h);
	double waited = h->m.spent.wait;
	int64_t began = clock_ns();
	int rc = again ? run_again(h, a, trials, n) : run_watched(h, a, trials, n);

	device_lock_release(h->lock);
	for (int i = 0; i < n; i++)
		verify_s += trials[i].verify_ms * 1e-3;
	h->m.spent.run += seconds_since(began) - verify_s - (h->m.spent.wait - waited);
	h->m.spent.verify += verify_s;
	return rc;
}

/* A time that no right kernel can have is no record. */
static void refuse_impossible(const struct hardware *h, struct arena *a, struct trial *t)
{
	if (t->status != TRIAL_OK || t->time_us >= h->limit_us)
		return;
	t->status = TRIAL_WRONG;
	t->text = arena_printf(a, "%.4g us is faster than this machine can: %.4g us at %g times its "
			       "probed rates; does the reference compute what is meant?",
			       t->time_us, h->limit_us, SPEED_LIMIT_MARGIN);
}

/* Builder and runner take trials side by side. */
static int answer(struct measurer *m, struct arena *a, struct candidate *c, int n, bool again)
{
	struct hardware *h = (struct hardware *)m;
	struct trial *trials = arena_many(a, struct trial, n);

	for (int i = 0; i < n; i++)
		trials[i] = c[i].trial;
	int rc = build(h, a, trials, n);

	if (rc == 0)
		rc = run(h, a, trials, n, again);

	for (int i = 0; i < n; i++) {
		trial_discard(&trials[i]);
		refuse_impossible(h, a, &trials[i]);
		c[i].trial = trials[i];
	}
	return rc;
}

static int measure(struct measurer *m, struct arena *a, struct candidate *c, int n)
{
	return answer(m, a, c, n, false);
}

static int confirm(struct measurer *m, struct arena *a, struct candidate *c, int n)
{
	return answer(m, a, c, n, true);
}

static void release(struct measurer *m)
{
	struct hardware *h = (struct hardware *)m;

	runner_free(h->runner);
	build_pool_free(h->builder);
	calm_free(h->calm);
	device_lock_free(h->lock);
	arena_free(h->task);
	free(h);
}

struct measurer *measurer_hardware(const struct hardware_options *o)
{
	struct build_pool_options build = { .cc = o->cc };
	struct runner_options run = { .cpus = o->cpus, .limit_s = o->limit_s };
	struct hardware *h = calloc(1, sizeof(*h));

	if (!h)
		die("out of memory for a measurer");
	*h = (struct hardware){ .m = { .begin = begin, .measure = measure, .confirm = confirm,
				       .free = release },
				.o = *o, .task = arena_new() };
	h->builder = build_pool_new(&build);
	if (h->builder)
		h->runner = runner_new(&run);
	if (!h->runner) {
		release(&h->m);
		return NULL;
	}
	h->lock = device_lock_new(&o->listener);
	h->calm = calm_new(&o->listener);
	h->m.toolchain = build_pool_toolchain(h->builder);
	return &h->m;
}
