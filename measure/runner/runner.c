/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner.c - a task's runner process: set-up, one request after the other, a new process
 * after each death. */
#include "measure/runner/runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/integer.h"
#include "measure/runner/buffer.h"
#include "measure/runner/dialog.h"
#include "measure/runner/runner_inside.h"
#include "measure/runner/verify.h"

#define LIMIT_S		  10.0
#define REFERENCE_LIMIT_S 300.0
#define KERNEL_MEMORY	  ((size_t)4 << 30)
#define RACE_FACTOR	  1.5
/* Where the caches are not known: twice a last-level cache of 32 MB. */
#define FLUSH_BYTES	  ((size_t)64 << 20)

/* What a burst takes on a core that is alone (measure/timing/sibling.h), by all runners that this process had: a new one may not be
 * alone for long. 0: not known. */
static double alone_ns;

struct runner *runner_new(const struct runner_options *o)
{
	struct arena *a = arena_new();
	struct runner *r = arena_one(a, struct runner);

	r->arena = a;
	r->task = arena_new();
	r->memory = -1;
	r->options = *o;
	if (o->limit_s <= 0)
		r->options.limit_s = LIMIT_S;
	if (o->reference_limit_s <= 0)
		r->options.reference_limit_s = REFERENCE_LIMIT_S;
	if (o->memory == 0)
		r->options.memory = KERNEL_MEMORY;
	if (o->race_factor == 0)
		r->options.race_factor = RACE_FACTOR;
	r->path = process_find(a, o->path);
	r->pin = r->path ? pin_new(o->cpus) : NULL;
	if (!r->pin) {
		runner_free(r);
		return NULL;
	}
	return r;
}

static void drop_task(struct runner *r)
{
	process_end(&r->process);
	if (r->view)
		munmap(r->view, (size_t)r->memory_bytes);
	r->view = NULL;
	if (r->memory >= 0)
		close(r->memory);
	r->memory = -1;
	r->setup = NULL;
	r->incumbent_us = r->incumbent_reference_us = 0;
	arena_reset(r->task);
}

void runner_free(struct runner *r)
{
	if (!r)
		return;
	drop_task(r);
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
	if (!r->setup)
		return err_set("the runner has no workload");
	if (process_start(r->task, &r->process, r->path, r->pin, r->setup->threads, r->memory,
			  &r->cpus) < 0)
		return -1;
	r->setup->alone_ns = alone_ns;
	if (dialog_ask(r->task, &r->process, r->setup, r->setup, sizeof(*r->setup),
		       r->options.reference_limit_s, &e, &text) != TRIAL_OK) {
		process_kill(&r->process);
		err_set("the task cannot be set up for measuring: its reference kernel: %s",
			text ? text : "no reason known");
		return 1;
	}
	r->setup->prepared = true;
	return 0;
}

/* What argument A takes in the memory file. */
static int64_t image_bytes(const struct workload_arg *a)
{
	size_t data = buffer_inner((size_t)a->count * dtype_bytes(a->dtype));
	size_t bound = buffer_inner((size_t)a->count * dtype_bytes(error_bound_type(a->dtype)));

	return (int64_t)(INPUT_SETS * (data + (a->role == ARG_OUTPUT ? bound : 0)));
}

static int copy_args(struct setup *s, const struct workload *w, int64_t *total)
{
	bool outputs = false;

	if (w->n_args > WORKLOAD_ARGS)
		return err_set("a kernel of %d arguments: the runner takes %d", w->n_args,
			       WORKLOAD_ARGS);
	for (int i = 0; i < w->n_args; i++) {
		const struct workload_arg *a = &w->args[i];
		int64_t bytes;

		if (a->count < 0 || a->count > INT64_MAX / 2 ||
		    __builtin_mul_overflow(a->count, (int64_t)dtype_bytes(a->dtype), &bytes) ||
		    bytes > INT64_MAX / 64 ||
		    __builtin_add_overflow(*total, image_bytes(a), total))
			return err_set("%s has %lld elements, more than memory can hold", a->name,
				       (long long)a->count);
		if (outputs && a->role != ARG_OUTPUT)
			die("workload: input %s behind an output", a->name);
		outputs |= a->role == ARG_OUTPUT;
		snprintf(s->args[i].name, WORKLOAD_NAME, "%s", a->name);
		s->args[i].dtype = a->dtype;
		s->args[i].role = a->role;
		s->args[i].count = a->count;
		memcpy(s->args[i].range, a->range, sizeof(a->range));
	}
	return 0;
}

/* The sets of inputs, wanted outputs and their bounds make TOTAL; outputs and packed constants,
 * and what the reference computes in between, about as much again; a machine that has not so much would end other processes first. */
static int check_memory(int64_t total)
{
	int64_t has = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	if (total > has / 2)
		return err_set("verifying needs %.3g GiB, twice; this machine has %.3g GiB (make the "
			       "operator smaller)", (double)total / (1 << 30),
			       (double)has / (1 << 30));
	return 0;
}

/* As runner_set_workload(). */
static int make_setup(struct runner *r, const struct workload *w)
{
	struct setup *s = arena_one(r->task, struct setup);
	int64_t total = 0;

	s->kind = REQUEST_SETUP;
	s->cold = w->cache == CACHE_COLD;
	s->threads = w->threads > 1 ? w->threads : 1;
	s->n_args = w->n_args;
	s->seed = w->seed;
	s->flush_bytes = w->flush_bytes ? w->flush_bytes : FLUSH_BYTES;
	s->flush_private = w->flush_private;
	s->memory = r->options.memory;
	s->rms_most = w->rms_most;
	s->min_ms = w->min_ms > 0 ? w->min_ms : WORKLOAD_MIN_MS;
	s->max_ms = w->max_ms > 0 ? w->max_ms : WORKLOAD_MAX_MS;
	if (copy_args(s, w, &total) < 0 || check_memory(total) < 0)
		return 1;
	r->memory = memfd_create("hone-task", MFD_CLOEXEC);
	if (r->memory < 0 || ftruncate(r->memory, total) < 0)
		return err_set("cannot hold %lld bytes of arguments in memory: %s",
			       (long long)total, strerror(errno));
	r->memory_bytes = total;
	r->setup = s;
	return 0;
}

int runner_set_workload(struct runner *r, struct build_pool *b, const struct workload *w)
{
	struct trial t[INPUT_SETS] = { 0 };
	int built = 0;

	drop_task(r);
	for (int set = 0; set < INPUT_SETS; set++) {
		if (!w->reference[set])
			die("a workload without a reference");
		t[set].source = w->reference[set];
	}
	int rc = make_setup(r, w);

	if (rc == 0)
		rc = build_alike(r->task, b, t, INPUT_SETS, &built);
	for (int set = 0; set < INPUT_SETS && rc == 0; set++) {
		const struct trial *of = &t[least(set, built - 1)];

		if (of->status == TRIAL_PENDING) {
			snprintf(r->setup->reference[set], PATH_MAX, "%s", of->object);
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
		drop_task(r);
	return rc;
}

/* The image of BYTES at *OFFSET of the view, as runner_task.c lays them out. */
static const void *next_image(const struct runner *r, size_t bytes, int64_t *offset)
{
	const char *at = (const char *)r->view + *offset + buffer_offset(bytes);

	*offset += (int64_t)buffer_inner(bytes);
	return at;
}

int runner_look(struct runner *r, enum input_set set, const void **data, const void **bound)
{
	int64_t offset = 0;

	if (!r->view) {
		void *map = mmap(NULL, (size_t)r->memory_bytes, PROT_READ, MAP_SHARED, r->memory, 0);

		if (map == MAP_FAILED)
			return err_set("cannot map %lld bytes of arguments: %s",
				       (long long)r->memory_bytes, strerror(errno));
		r->view = map;
	}
	for (int s = 0; s <= (int)set; s++)
		for (int i = 0; i < r->setup->n_args; i++) {
			const struct setup_arg *a = &r->setup->args[i];
			size_t count = (size_t)a->count;

			data[i] = next_image(r, count * dtype_bytes(a->dtype), &offset);
			if (a->role == ARG_OUTPUT)
				bound[i] = next_image(
					r, count * dtype_bytes(error_bound_type(a->dtype)), &offset);
		}
	return 0;
}

void runner_set_incumbent(struct runner *r, double time_us)
{
	r->incumbent_us = time_us;
	r->incumbent_reference_us = 0;
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
	t->reference_us = e->reference_us;
	t->ratio = e->ratio;
	if (e->alone_ns > 0 && (alone_ns == 0 || e->alone_ns < alone_ns))
		alone_ns = e->alone_ns;
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
		q.race = (struct race){ r->incumbent_us * r->options.race_factor,
					r->incumbent_reference_us };
	runner_name(&q, t);
	enum trial_status s = dialog_ask(a, &r->process, r->setup, &q, sizeof(q),
						 r->options.limit_s, &e, &text);

	runner_take(a, t, s, text, &e, e.kind == EVENT_RESULT);
	t->run_ms = ms_since(start);
	if (s == TRIAL_OK && (r->incumbent_us <= 0 || t->time_us < r->incumbent_us)) {
		r->incumbent_us = t->time_us;
		r->incumbent_reference_us = t->reference_us;
	}
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
