/* SPDX-License-Identifier: Apache-2.0 */
/* search/hardware.c - candidates are compiled and run on this machine. */
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "measure/builder.h"
#include "measure/runner.h"
#include "search/measurer.h"

/* Samples of each of the best when they are measured again. */
enum { CONFIRM_ROUNDS = 15 };
#define FLUSH_BYTES ((size_t)64 << 20)

struct hardware {
	struct measurer m;	/* first */
	struct hardware_options o;
	struct builder *builder;
	struct runner *runner;
	struct arena *task;	/* what the runner knows of the present task */
};

static int begin(struct measurer *m, const struct task *t, double incumbent_us)
{
	struct hardware *h = (struct hardware *)m;

	arena_reset(h->task);
	struct workload w = task_workload(h->task, t, h->o.threads, h->o.cache, h->o.seed);
	int64_t began = clock_ns();

	w.flush_bytes = FLUSH_BYTES;
	if (runner_set_workload(h->runner, h->builder, &w) < 0)
		return -1;
	m->spent.verify += (double)(clock_ns() - began) * 1e-9;	/* the reference is its cost */
	if (incumbent_us > 0)
		runner_set_incumbent(h->runner, incumbent_us);
	return 0;
}

static int run(struct hardware *h, struct arena *a, struct trial *trials, int n, bool again)
{
	int64_t began = clock_ns();
	int rc = build_all(a, h->builder, trials, n);
	int64_t built = clock_ns();

	if (rc == 0)
		rc = again ? remeasure(a, h->runner, trials, n, CONFIRM_ROUNDS)
			   : measure_all(a, h->runner, trials, n);
	double ran_s = (double)(clock_ns() - built) * 1e-9, verify_s = 0;

	for (int i = 0; i < n; i++)
		verify_s += trials[i].verify_ms * 1e-3;
	h->m.spent.build += (double)(built - began) * 1e-9;
	h->m.spent.run += ran_s - verify_s;
	h->m.spent.verify += verify_s;
	return rc;
}

/* Builder and runner take trials side by side. */
static int answer(struct measurer *m, struct arena *a, struct candidate *c, int n, bool again)
{
	struct trial *trials = arena_many(a, struct trial, n);

	for (int i = 0; i < n; i++)
		trials[i] = c[i].trial;
	int rc = run((struct hardware *)m, a, trials, n, again);

	for (int i = 0; i < n; i++) {
		trial_discard(&trials[i]);
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
	builder_free(h->builder);
	arena_free(h->task);
	free(h);
}

struct measurer *measurer_hardware(const struct hardware_options *o)
{
	struct builder_options build = { .cc = o->cc };
	struct runner_options run = { .cpus = o->cpus, .limit_s = o->limit_s };
	struct hardware *h = calloc(1, sizeof(*h));

	if (!h)
		die("out of memory for a measurer");
	*h = (struct hardware){ .m = { .begin = begin, .measure = measure, .confirm = confirm,
				       .free = release },
				.o = *o, .task = arena_new() };
	h->builder = builder_new(&build);
	if (h->builder)
		h->runner = runner_new(&run);
	if (!h->runner) {
		release(&h->m);
		return NULL;
	}
	h->m.toolchain = builder_toolchain(h->builder);
	return &h->m;
}
