/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner.c - a task's runner process: set-up, one request after the other, a new process
 * after each death. */
#include "measure/runner/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/integer.h"
#include "measure/runner/dialog.h"
#include "measure/runner/runner_inside.h"
#include "measure/timing/timing.h"

#define LIMIT_S		  10.0
#define REFERENCE_LIMIT_S 300.0
#define KERNEL_MEMORY	  ((size_t)4 << 30)
#define RACE_FACTOR	  1.5

/* By all runners that this process had: a new one may not be alone for long, and its times are to be at the same clock. */
static struct cores_known cores;

struct runner *runner_new(const struct runner_options *o)
{
	struct arena *a = arena_new();
	struct runner *r = arena_one(a, struct runner);

	r->arena = a;
	r->task = arena_new();
	r->options = *o;
	if (o->limit_s <= 0)
		r->options.limit_s = LIMIT_S;
	if (o->reference_limit_s <= 0)
		r->options.reference_limit_s = REFERENCE_LIMIT_S;
	if (o->memory == 0)
		r->options.memory = KERNEL_MEMORY;
	if (o->race_factor == 0)
		r->options.race_factor = RACE_FACTOR;
	if (!o->kept)
		r->options.kept = r->own = kept_workloads_new();
	r->path = process_find(a, o->path);
	r->pin = r->path ? pin_new(o->cpus) : NULL;
	if (!r->pin) {
		runner_free(r);
		return NULL;
	}
	return r;
}

static void leave_workload(struct runner *r)
{
	process_end(&r->process);
	if (r->workload && r->workload->key)
		prepared_keep(r->options.kept, r->workload);
	else
		prepared_free(r->workload);
	r->workload = NULL;
	r->incumbent_us = 0;
	arena_reset(r->task);
}

void runner_free(struct runner *r)
{
	if (!r)
		return;
	leave_workload(r);
	kept_workloads_free(r->own);
	pin_free(r->pin);
	arena_free(r->task);
	arena_free(r->arena);
}

const char *runner_cpus(const struct runner *r)
{
	return r->cpus ? r->cpus : "";
}

int runner_shares(struct arena *a, const struct runner *r, int threads, struct pin_shares *out)
{
	return pin_shares(a, r->pin, threads, out);
}

pid_t runner_pid(const struct runner *r)
{
	return r->process.pid;
}

void runner_name(struct request *q, const struct trial *t)
{
	snprintf(q->path, sizeof(q->path), "%s", t->object);
	snprintf(q->symbol, sizeof(q->symbol), "%s", trial_symbol(t));
}

int runner_ensure(struct runner *r)
{
	struct event e;
	const char *text;

	if (r->process.pid != 0)
		return 0;
	if (!r->workload)
		return err_set("the runner has no workload");
	struct setup *setup = r->workload->setup;

	if (process_start(r->task, &r->process, r->path, r->pin, setup->threads, r->workload->memory,
			  &r->cpus) < 0)
		return -1;
	if (cores.nominal_ns > 0)
		setup->cores = cores;
	if (dialog_ask(r->task, &r->process, setup, setup, sizeof(*setup),
		       r->options.reference_limit_s, &e, &text) != TRIAL_OK) {
		process_kill(&r->process);
		err_set("the task cannot be set up for measuring: its reference kernel: %s",
			text ? text : "no reason known");
		return 1;
	}
	setup->prepared = true;
	return 0;
}

int runner_set_workload(struct runner *r, struct build_pool *b, const struct workload *w)
{
	struct trial t[INPUT_SETS] = { 0 };
	int built = 0;

	leave_workload(r);
	for (int set = 0; set < INPUT_SETS; set++) {
		if (!w->reference[set])
			die("a workload without a reference");
		t[set].source = w->reference[set];
	}
	int rc = prepared_new(w, r->options.memory, &r->workload);

	if (rc == 0)
		rc = build_alike(r->task, b, t, INPUT_SETS, &built);
	for (int set = 0; set < INPUT_SETS && rc == 0; set++) {
		const struct trial *of = &t[least(set, built - 1)];

		if (of->status == TRIAL_PENDING) {
			snprintf(r->workload->setup->reference[set], PATH_MAX, "%s", of->object);
			continue;
		}
		err_set("the reference kernel does not compile: %s", of->text);
		rc = 1;
	}
	if (rc == 0)
		rc = runner_ensure(r);
	for (int i = 0; i < built; i++)
		trial_discard(&t[i]);
	if (rc != 0)
		leave_workload(r);
	return rc;
}

void runner_keep(struct runner *r, const char *key)
{
	r->workload->key = arena_strdup(r->workload->arena, key);
}

bool runner_resume(struct runner *r, const char *key, int threads)
{
	struct prepared *p = prepared_take(r->options.kept, key, threads);

	if (!p)
		return false;
	leave_workload(r);
	r->workload = p;
	return true;
}

int runner_look(struct runner *r, enum input_set set, const void **data, const void **bound)
{
	return prepared_look(r->workload, set, data, bound);
}

void runner_set_incumbent(struct runner *r, double time_us)
{
	r->incumbent_us = time_us;
}

static void learn_cores(const struct cores_known *k)
{
	if (cores.nominal_ns == 0)
		cores = *k;
	else if (k->alone > 0 && (cores.alone == 0 || k->alone < cores.alone))
		cores.alone = k->alone;
}

void runner_take(struct arena *a, struct trial *t, enum trial_status status,
		 const char *text, const struct event *e, bool answered)
{
	t->status = status;
	t->text = text;
	if (!answered)
		return;
	t->samples = arena_memdup(a, e->samples, sizeof(double) * (size_t)e->n_samples);
	t->n_samples = e->n_samples;
	t->counted = arena_strdup(a, e->counted);
	t->disturbed = e->disturbed;
	t->time_us = e->time_us;
	t->reference_us = e->cores.fixed_us;
	t->ratio = t->reference_us > 0 ? t->time_us / t->reference_us : 0;
	learn_cores(&e->cores);
	t->n_counters = e->n_counters;
	memcpy(t->counters, e->counters, sizeof(t->counters));
	t->run_ms = e->run_ms;
	t->verify_ms = e->verify_ms;
}

static int measure_one(struct arena *a, struct runner *r, struct trial *t)
{
	struct request q = { .kind = REQUEST_MEASURE };
	struct event e = { 0 };
	const char *text;
	int64_t start = clock_ns();

	if (runner_ensure(r) != 0)
		return -1;
	if (r->options.race_factor > 0 && r->incumbent_us > 0)
		q.limit_us = r->incumbent_us * r->options.race_factor;
	runner_name(&q, t);
	enum trial_status s = dialog_ask(a, &r->process, r->workload->setup, &q, sizeof(q),
						 r->options.limit_s, &e, &text);

	runner_take(a, t, s, text, &e, e.kind == EVENT_RESULT);
	t->run_ms = ms_since(start);
	if (s == TRIAL_OK && (r->incumbent_us <= 0 || t->time_us < r->incumbent_us))
		r->incumbent_us = t->time_us;
	return 0;
}

int measure_all(struct arena *a, struct runner *r, struct trial *trials, int n)
{
	for (int i = 0; i < n; i++)
		if (trials[i].status == TRIAL_PENDING && trials[i].object &&
		    measure_one(a, r, &trials[i]) < 0)
			return -1;
	return 0;
}

static bool never_alone(const struct trial *t)
{
	return t->status == TRIAL_OK && t->n_samples - t->disturbed < SERIES_LEAST;
}

int measure_again(struct arena *a, struct runner *r, struct trial *trials, int n)
{
	bool vain = false;

	for (int i = 0; i < n && !vain; i++) {
		struct trial *t = &trials[i], first = *t;

		if (!never_alone(t))
			continue;
		if (measure_one(a, r, t) < 0)
			return -1;
		struct trial second = *t;

		vain = never_alone(t);
		/* A race that is lost beside somebody takes back no time that was measured. */
		if (second.status == TRIAL_LOST_RACE || (vain && first.time_us < second.time_us))
			*t = first;
		t->run_ms = first.run_ms + second.run_ms;
		t->verify_ms = first.verify_ms + second.verify_ms;
	}
	return 0;
}
