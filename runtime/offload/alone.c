/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/alone.c - a kernel with random inputs, again and again. */
#include "runtime/offload/alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/timing/timing.h"
#include "runtime/offload/foreign.h"
#include "runtime/values/inputs.h"
#include "runtime/kernel/kernel.h"

/* Of one kernel, whose time is told as of ours; what takes long is run less often. */
enum { WARM_RUNS = 2, LEAST_SAMPLES = 5, MOST_SAMPLES = 25 };
#define MOST_MS 30.0

/* A kernel about to be timed. */
struct alone {
	struct foreign *foreign;
	int ninputs;
	const void **inputs;
	void **fresh;		/* what is copied to them before each run */
	size_t *bytes;
	void *output;
	char *sweep;
	size_t sweep_bytes;
};

static void make_input(struct arena *a, struct alone *x, const struct function *f, int i, int param)
{
	struct value v;

	if (input_random(a, function_at(f, param), (uint64_t)i, &v) < 0)
		die("%s", err_get());		/* regions have static types */
	x->bytes[i] = array_bytes(v.array);
	x->fresh[i] = v.array->data;
	x->inputs[i] = kernel_buffer(x->bytes[i]);
}

/* Twice what a core has for itself. */
static size_t sweep_bytes(const struct device *d)
{
	return 2 * (size_t)device_cache_bytes(d, 2);
}

static struct alone alone_begin(struct arena *a, const struct kernel_region *r, struct foreign *foreign,
				const struct device *d)
{
	const struct region_view *view = r->view;
	struct alone x = { .foreign = foreign, .ninputs = view->inputs.n,
			   .inputs = arena_many(a, const void *, view->inputs.n),
			   .fresh = arena_many(a, void *, view->inputs.n),
			   .bytes = arena_many(a, size_t, view->inputs.n),
			   .sweep_bytes = sweep_bytes(d) };

	for (int i = 0; i < x.ninputs; i++)
		make_input(a, &x, r->function, i, view->inputs.at[i]);
	x.output = kernel_buffer((size_t)type_bytes(function_at(r->function, view->outputs.at[0])->type));
	x.sweep = kernel_buffer(x.sweep_bytes);
	return x;
}

static void alone_end(struct alone *x)
{
	for (int i = 0; i < x->ninputs; i++)
		free((void *)(uintptr_t)x->inputs[i]);
	free(x->output);
	free(x->sweep);
}

/* One run; microseconds, or -1 and a message. */
static double run(struct alone *x)
{
	memset(x->sweep, 1, x->sweep_bytes);
	for (int i = 0; i < x->ninputs; i++)
		memcpy((void *)(uintptr_t)x->inputs[i], x->fresh[i], x->bytes[i]);
	int64_t begin = clock_ns();

	if (foreign_call(x->foreign, x->inputs, &x->output) < 0)
		return -1;
	return us_since(begin);
}

/* The number of samples; -1 and a message. */
static int sample(struct alone *x, double *us)
{
	int64_t begin = clock_ns();
	int n = 0;

	for (int i = 0; i < WARM_RUNS; i++)
		if (run(x) < 0)
			return -1;
	while (n < MOST_SAMPLES &&
	       (n < LEAST_SAMPLES || ms_since(begin) < MOST_MS)) {
		us[n] = run(x);
		if (us[n++] < 0)
			return -1;
	}
	return n;
}

/* What BACKEND takes for T; nothing is learned where it refuses it. */
static void measure(struct offers *o, const struct model_task *t, int backend)
{
	const struct offers_options *options = offers_options(o);
	struct arena *a = arena_new();
	const struct backend *b = &options->backends[backend];
	const struct kernel_region *r = kernel_region_new(a, &t->from);
	struct foreign *foreign = foreign_kernel(a, r, b, options->threads, NULL);

	if (foreign) {
		struct alone x = alone_begin(a, r, foreign, options->device);
		double us[MOST_SAMPLES];
		int n = sample(&x, us);

		if (n > 0)
			offers_learn(o, t, &(struct offer){ .backend = backend, .us = time_of_samples(us, n) }, us, n);
		alone_end(&x);
	}
	arena_free(a);
}

const char *offer_refusal(struct arena *a, const struct offers *o, const struct model_task *t, int backend)
{
	struct arena *scratch = arena_new();
	const struct kernel_region *r = kernel_region_new(scratch, &t->from);
	const char *why = "its shapes or its constants are not known";

	if (r && kernel_claimed(scratch, &offers_options(o)->backends[backend], r, &why))
		why = NULL;
	why = why ? arena_strdup(a, why) : NULL;
	arena_free(scratch);
	return why;
}

/* Asks those generators of kernels that know what they take. */
static void ask(struct offers *o, const struct model_task *t, int backend)
{
	const struct offers_options *options = offers_options(o);
	const struct backend *b = &options->backends[backend];

	if (!t->dag || !b->generator->cost || b->generator->grain != HONE_KERNELS)
		return;
	struct arena *a = arena_new();
	const struct kernel_region *r = kernel_region_new(a, &t->from);
	const char *why;
	double us = r && kernel_claimed(a, b, r, &why)
			    ? cost_us(backend_cost(b, &r->view->region, options->threads)) : 0;

	if (us > 0)
		offers_tell(o, t->key, backend, us);
	arena_free(a);
}

/* What is to be measured, as pairs. */
struct open_offer {
	const struct model_task *task;
	int backend;
};

struct open_offer_vec VEC(struct open_offer);

static struct open_offer_vec find_open(struct arena *a, const struct offers *o,
				       const struct model_task_vec *tasks)
{
	struct open_offer_vec open = { 0 };

	for (int i = 0; i < tasks->n; i++)
		for (int b = 0; b < offers_options(o)->n; b++) {
			const struct model_task *t = &tasks->at[i];
			struct offer known;

			if (t->dag && offers_options(o)->backends[b].generator->grain == HONE_KERNELS &&
			    !offers_get(o, t->key, b, &known) && !offer_refusal(a, o, t, b))
				vec_push(a, &open, (struct open_offer){ t, b });
		}
	return open;
}

int offers_measure(struct offers *o, const struct model_task_vec *tasks, const struct listener *listener)
{
	for (int i = 0; i < tasks->n; i++)
		for (int b = 0; b < offers_options(o)->n; b++)
			ask(o, &tasks->at[i], b);
	struct arena *a = arena_new();
	struct open_offer_vec open = find_open(a, o, tasks);

	if (open.n)
		listener_tell(listener, TELL_NOTE, "measuring %d kernels of code generators, once for this device",
			      open.n);
	for (int i = 0; i < open.n; i++)
		measure(o, open.at[i].task, open.at[i].backend);
	arena_free(a);
	return offers_keep(o);
}
