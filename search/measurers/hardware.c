/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/hardware.c - candidates are compiled and run on this machine: batches pass through a
 * pipeline, whose building stage has the compilers, and whose running stage the runner.
 *
 * While something is measured, compilers keep to the cores that it leaves; where there are too few, or
 * where one beside shows in what is timed, they wait (measure/device/beside.h). */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/build/builder.h"
#include "measure/build/kept_objects.h"
#include "measure/process/cpu_list.h"
#include "measure/process/device_lock.h"
#include "measure/runner/runner.h"
#include "measure/timing/calm.h"
#include "search/aim.h"
#include "search/measurers/measurer.h"
#include "search/measurers/pipeline.h"
#include "search/measurers/spare.h"
#include "search/traffic.h"
#include "search/trust/speed_limit.h"
#include "search/trust/spot_check.h"

/* Samples of each of the best when they are measured again. */
enum { CONFIRM_ROUNDS = 15 };
/* Trials between two looks at who else uses the machine: about a second. */
enum { UNWATCHED = 4 };
/* Of a cache: what streams through it pushes out all else, also where it does not take turns. */
enum { FLUSHES = 2 };

/* A batch of jobs on its way. */
struct hardware_batch {
	struct arena *arena;	/* its own */
	const struct task *task;
	double incumbent_us;
	bool again;
	struct trial *trials;
	int n;
	int rc;			/* as of collect() */
	const char *why;	/* the message where it is not 0 */
	struct phases spent;
	double disturbed_s;
};

/* The owner's thread has all of it while the pipeline is empty; then the builder is the building
 * stage's, and what stands behind it the running stage's, which lends the builder references. */
struct hardware {
	struct measurer m;	/* first */
	struct hardware_options o;
	struct arena *arena;
	struct spare spare;
	bool settled;		/* it knows whether building goes on beside measuring */
	cpu_set_t all;		/* that the owner's thread may use */
	pid_t owner;		/* that thread */
	struct pipeline *pipeline;
	struct build_pool *builder;
	struct kept_objects *kept;	/* of what finals may measure again */
	struct runner *runner;
	struct device_lock *lock;
	struct calm *calm;
	char current[HASH_TEXT];	/* the key of the task that the runner is set up for; "": none */
	struct arena *task;	/* what the runner knows of it */
	double limit_us;	/* of it: less is a mistake; 0: unknown */
};

/* The message of the thread that failed, for the owner's. */
static void fail(struct hardware_batch *b, int rc)
{
	b->rc = rc;
	b->why = arena_strdup(b->arena, err_get());
}

/* --- the building stage */

static struct pool_room room(void *user)
{
	struct hardware *h = user;

	if (h->spare.beside && pipeline_runs(h->pipeline))
		return spare_room(&h->spare);
	return (struct pool_room){ CPU_COUNT(&h->all), NULL };
}

static void build(void *user, void *batch)
{
	struct hardware *h = user;
	struct hardware_batch *b = batch;
	int64_t began = clock_ns();
	double ran_s = pipeline_ran_s(h->pipeline);

	for (int i = 0; b->again && i < b->n; i++)
		if (!b->trials[i].object)
			kept_objects_give(b->arena, h->kept, &b->trials[i]);
	if (build_together(b->arena, h->builder, b->trials, b->n) < 0)
		fail(b, -1);
	double took_s = seconds_since(began);

	b->spent.beside = fmin(took_s, pipeline_ran_s(h->pipeline) - ran_s);
	b->spent.build = took_s - b->spent.beside;
}

/* --- the running stage: a task begins */

static void take_device(struct hardware *h, struct hardware_batch *b)
{
	double waited = device_lock_take(h->lock);

	b->spent.wait += waited;
	b->disturbed_s = waited;
}

static void set_flush(struct workload *w, const struct device *d)
{
	int last = device_last_cache(d);

	w->flush_bytes = FLUSHES * (size_t)device_cache_bytes(d, last);
	w->flush_private = FLUSHES * (size_t)device_cache_bytes(d, last > 1 ? last - 1 : last);
}

static void set_clock(struct workload *w, const struct hardware *h, const struct task *t)
{
	struct aim aim = aim_of(h->o.device, h->o.threads, h->o.cache);

	w->memory_us = traffic_us(t->dag, &aim);
	w->fixed_us = h->o.device->fixed_us;
	w->fixed_chains = h->o.device->measured.fixed_chains;
}

/* As set_up(). */
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

/* What a task is verified against is computed, and its clock calibrated, when it begins. 0; 1 where
 * nothing can be measured of it, and -1, with a message. */
static int set_up(struct hardware *h, const struct task *t)
{
	arena_reset(h->task);
	struct workload w = task_workload(h->task, t, h->o.threads, h->o.cache, h->o.seed);

	if (task_reference(h->task, t, &w) < 0)
		return 1;
	set_flush(&w, h->o.device);
	set_clock(&w, h, t);
	int rc = runner_set_workload(h->runner, h->builder, &w);

	if (rc > 0)
		task_suspect(h->task, t);
	else if (rc == 0)
		rc = check_reference(h, t);
	return rc;
}

static int begin(struct hardware *h, struct hardware_batch *b)
{
	if (strcmp(h->current, b->task->key) == 0)
		return 0;
	int64_t began = clock_ns();

	h->current[0] = '\0';
	int rc = runner_resume(h->runner, b->task->key, h->o.threads) ? 0 : set_up(h, b->task);

	b->spent.verify += seconds_since(began);
	if (rc != 0)
		return rc;
	runner_keep(h->runner, b->task->key);
	h->limit_us = speed_limit_us(b->task->dag, h->o.device, h->o.threads);
	memcpy(h->current, b->task->key, sizeof(h->current));
	if (b->incumbent_us > 0)
		runner_set_incumbent(h->runner, b->incumbent_us);
	return 0;
}

/* --- the running stage: trials */

static void wait_for_calm(struct hardware *h, struct hardware_batch *b)
{
	b->spent.wait += calm_wait(h->calm, runner_cpus(h->runner), runner_pid(h->runner));
	b->disturbed_s = fmax(b->disturbed_s, calm_disturbed_s(h->calm));
}

static int run_watched(struct hardware *h, struct hardware_batch *b)
{
	int rc = 0;

	for (int i = 0; i < b->n && rc == 0; i += UNWATCHED) {
		wait_for_calm(h, b);
		rc = measure_all(b->arena, h->runner, b->trials + i,
				 b->n - i < UNWATCHED ? b->n - i : UNWATCHED);
	}
	return rc == 0 ? measure_again(b->arena, h->runner, b->trials, b->n) : rc;
}

static int run_all(struct hardware *h, struct hardware_batch *b)
{
	double verify_s = 0, waited = b->spent.wait;
	int64_t began = clock_ns();

	calm_begin(h->calm, runner_cpus(h->runner), runner_pid(h->runner));
	int rc = b->again ? remeasure(b->arena, h->runner, b->trials, b->n, CONFIRM_ROUNDS)
			  : run_watched(h, b);

	for (int i = 0; i < b->n; i++)
		verify_s += b->trials[i].verify_ms * 1e-3;
	b->spent.run += seconds_since(began) - verify_s - (b->spent.wait - waited);
	b->spent.verify += verify_s;
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

/* What the owner's thread does meanwhile stays off the cores that are measured on. */
static void run(void *user, void *batch)
{
	struct hardware *h = user;
	struct hardware_batch *b = batch;

	if (b->rc != 0)
		return;
	if (h->spare.beside)
		cpu_list_bind(h->spare.cores.spare, h->owner);
	take_device(h, b);
	int rc = begin(h, b);

	if (rc == 0)
		rc = run_all(h, b);
	device_lock_release(h->lock);
	sched_setaffinity(h->owner, sizeof(h->all), &h->all);
	if (rc != 0)
		fail(b, rc);
	struct hash128 key;
	bool keep = hash_parse(b->task->key, &key) && !b->again;

	for (int i = 0; i < b->n; i++) {
		refuse_impossible(h, b->arena, &b->trials[i]);
		if (keep)
			kept_objects_take(h->kept, key, &b->trials[i]);
		trial_discard(&b->trials[i]);
	}
}

static void drop(void *user, void *batch)
{
	struct hardware_batch *b = batch;

	(void)user;
	for (int i = 0; i < b->n; i++)
		trial_discard(&b->trials[i]);
	arena_free(b->arena);
}

/* --- the measurer */

/* Once, with SOURCE to compile: whether building goes on beside measuring. */
static int settle(struct hardware *h, const char *source)
{
	if (h->settled)
		return 0;
	h->settled = true;
	device_lock_take(h->lock);
	int rc = spare_settle(&h->spare, h->builder, h->o.device, source, &h->o.listener);

	device_lock_release(h->lock);
	build_pool_share(h->builder, room, h);
	pipeline_set_beside(h->pipeline, h->spare.beside);
	return rc;
}

static int submit(struct measurer *m, const struct job_batch *jobs)
{
	struct hardware *h = (struct hardware *)m;
	struct arena *a = arena_new();
	struct hardware_batch *b = arena_one(a, struct hardware_batch);

	*b = (struct hardware_batch){ .arena = a, .task = jobs->task, .again = jobs->again,
				      .incumbent_us = jobs->incumbent_us, .n = jobs->n,
				      .trials = arena_many(a, struct trial, jobs->n) };
	for (int i = 0; i < b->n; i++) {
		const struct job *job = &jobs->jobs[i];

		b->trials[i].source = arena_strdup(a, job->source);
		b->trials[i].object = job->object ? arena_strdup(a, job->object) : NULL;
	}
	/* What is measured again is measured alone: nothing is built beside it that is worth a test. */
	if (!b->again && settle(h, b->trials[0].source) < 0) {
		arena_free(a);
		return -1;
	}
	pipeline_put(h->pipeline, b);
	return 0;
}

static int collect(struct measurer *m, struct arena *a, struct trial *results)
{
	struct hardware *h = (struct hardware *)m;
	struct hardware_batch *b = pipeline_take(h->pipeline);
	int rc = b->rc;

	for (int i = 0; i < b->n; i++)
		results[i] = trial_result(a, &b->trials[i]);
	m->spent.build += b->spent.build;
	m->spent.run += b->spent.run;
	m->spent.verify += b->spent.verify;
	m->spent.wait += b->spent.wait;
	m->spent.beside += b->spent.beside;
	m->disturbed_s = b->disturbed_s;
	if (rc != 0)
		err_set("%s", b->why);
	drop(h, b);
	return rc;
}

static void release(struct measurer *m)
{
	struct hardware *h = (struct hardware *)m;

	pipeline_free(h->pipeline);
	kept_objects_free(h->kept);
	runner_free(h->runner);
	build_pool_free(h->builder);
	calm_free(h->calm);
	device_lock_free(h->lock);
	arena_free(h->task);
	arena_free(h->arena);
	free(h);
}

static int prepare(struct hardware *h)
{
	const struct hardware_options *o = &h->o;
	struct pipeline_stages stages = { build, run, drop, h };

	h->kept = kept_objects_new();
	h->builder = build_pool_new(&(struct build_pool_options){ .target = device_code(o->device),
							      .cc = o->cc });
	if (h->builder)
		h->runner = runner_new(&(struct runner_options){ .cpus = o->cpus, .limit_s = o->limit_s, .kept = o->kept });
	if (!h->runner || runner_shares(h->arena, h->runner, o->threads, &h->spare.cores) < 0)
		return -1;
	h->spare.threads = o->threads;
	h->owner = gettid();
	sched_getaffinity(0, sizeof(h->all), &h->all);
	build_pool_share(h->builder, room, h);
	h->pipeline = pipeline_new(&stages, &o->listener);
	h->lock = device_lock_new(pipeline_listener(h->pipeline));
	h->calm = calm_new(pipeline_listener(h->pipeline), o->stop);
	return 0;
}

struct measurer *measurer_hardware(const struct hardware_options *o)
{
	struct hardware *h = calloc(1, sizeof(*h));

	if (!h)
		die("out of memory for a measurer");
	*h = (struct hardware){ .m = { .submit = submit, .collect = collect, .confirms = true,
				       .free = release },
				.o = *o, .arena = arena_new(), .task = arena_new() };
	if (prepare(h) < 0) {
		release(&h->m);
		return NULL;
	}
	h->m.toolchain = build_pool_toolchain(h->builder);
	return &h->m;
}
