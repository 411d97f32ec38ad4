/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_task.c - hone-runner's set-up: buffers, inputs, reference outputs. */
#include "measure/runner/runner_task.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/runner/fill.h"

static bool is_output(const struct runner_task *t, int i)
{
	return t->setup.args[i].role == ARG_OUTPUT;
}

static size_t arg_bytes(const struct runner_task *t, int i)
{
	return (size_t)t->setup.args[i].count * dtype_bytes(t->setup.args[i].dtype);
}

static size_t bound_bytes(const struct runner_task *t, int i)
{
	return (size_t)t->setup.args[i].count *
	       dtype_bytes(error_bound_type(t->setup.args[i].dtype));
}

static bool map_image(struct guarded_buffer *b, size_t bytes, int64_t *offset, bool shared)
{
	if (!buffer_map(b, bytes, RUNNER_MEMORY, *offset, shared))
		return false;
	if (!shared)
		buffer_writable(b, false);
	*offset += (int64_t)b->inner;
	return true;
}

/* The sets follow each other in the memory file; in each, the arguments, a bound behind its output.
 */
static bool map_file(struct runner_task *t, bool shared)
{
	int64_t offset = 0;

	for (int set = 0; set < INPUT_SETS; set++)
		for (int i = 0; i < t->setup.n_args; i++) {
			struct input_image *image = &t->image[set];

			if (!map_image(&image->data[i], arg_bytes(t, i), &offset, shared))
				return false;
			if (is_output(t, i) &&
			    !map_image(&image->bound[i], bound_bytes(t, i), &offset, shared))
				return false;
		}
	return true;
}

static void unmap_file(struct runner_task *t)
{
	for (int set = 0; set < INPUT_SETS; set++)
		for (int i = 0; i < t->setup.n_args; i++) {
			buffer_unmap(&t->image[set].data[i]);
			buffer_unmap(&t->image[set].bound[i]);
		}
}

/* An element the reference left as it was poisoned, or -1. Floats only: an integer may be -1. */
static int64_t unwritten(enum dtype t, const struct guarded_buffer *b, int64_t count)
{
	static const unsigned char poison[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
	size_t size = dtype_bytes(t);

	for (int64_t e = 0; e < count && dtype_is_float(t); e++)
		if (memcmp(b->data + (size_t)e * size, poison, size) == 0)
			return e;
	return -1;
}

/* B, of output ARG or its bounds, is full and has not been left. */
static bool is_whole(const struct setup_arg *arg, enum dtype t, const struct guarded_buffer *b,
		     char text[PROTOCOL_TEXT])
{
	int64_t at;

	if (!buffer_intact(b, &at)) {
		snprintf(text, PROTOCOL_TEXT, "it writes outside of %s, at byte %lld", arg->name,
			 (long long)at);
		return false;
	}
	if ((at = unwritten(t, b, arg->count)) >= 0) {
		snprintf(text, PROTOCOL_TEXT, "it leaves %s[%lld] unwritten", arg->name,
			 (long long)at);
		return false;
	}
	return true;
}

static bool reference_is_good(struct runner_task *t, const struct input_image *image,
			      char text[PROTOCOL_TEXT])
{
	for (int i = t->n_inputs; i < t->setup.n_args; i++) {
		const struct setup_arg *a = &t->setup.args[i];

		if (!is_whole(a, a->dtype, &image->data[i], text) ||
		    !is_whole(a, error_bound_type(a->dtype), &image->bound[i], text))
			return false;
		int64_t silent = verify_settle(a->dtype, image->data[i].data, image->bound[i].data,
					       a->count);

		if (!verify_says_little(silent, a->count))
			continue;
		snprintf(text, PROTOCOL_TEXT, "%lld of %lld elements of %s are NaN or infinite: "
			 "nothing can be verified by them; give the inputs other ranges",
			 (long long)silent, (long long)a->count, a->name);
		return false;
	}
	return true;
}

/* Fills a set's part of the memory file: inputs, and what the reference makes of them. */
static bool prepare(struct runner_task *t, enum input_set set, char text[PROTOCOL_TEXT])
{
	struct input_image *image = &t->image[set];
	int n_outputs = t->setup.n_args - t->n_inputs;
	struct loaded_kernel k = { 0 };

	for (int i = 0; i < t->n_inputs; i++) {
		const struct setup_arg *a = &t->setup.args[i];
		const struct domain *range = &a->range[set];

		fill_grid(a->dtype, image->data[i].data, a->count, range->low, range->high,
			  range->quantum, t->setup.seed + (uint64_t)set, i);
		buffer_writable(&image->data[i], false);
	}
	bool ok = kernel_load(t, &k, t->setup.reference[set], TRIAL_SYMBOL, SIZE_MAX,
			      text) == TRIAL_OK;

	for (int i = 0; i < t->setup.n_args && ok; i++) {
		k.args[i] = image->data[i].data;
		if (!is_output(t, i))
			continue;
		buffer_poison(&image->data[i]);
		buffer_poison(&image->bound[i]);
		k.args[i + n_outputs] = image->bound[i].data;
	}
	t->stage = STAGE_SETUP;
	if (ok) {
		timed_run(k.timed);
		ok = reference_is_good(t, image, text);
	}
	t->current = NULL;
	kernel_unload(t, &k);
	return ok;
}

static bool map_outputs(struct runner_task *t)
{
	for (int i = t->n_inputs; i < t->setup.n_args; i++)
		if (!buffer_map(&t->args[i], arg_bytes(t, i), -1, 0, false))
			return false;
	return true;
}

static bool start_flush(struct runner_task *t)
{
	if (t->setup.cold)
		t->timing.flush = flush_new(t->setup.flush_bytes, t->setup.flush_private);
	return !t->setup.cold || t->timing.flush;
}

static void start_thread(struct team *t, int thread, void *unused)
{
	(void)t, (void)thread, (void)unused;
}

bool task_setup(struct runner_task *t, const struct setup *setup, char text[PROTOCOL_TEXT])
{
	t->setup = *setup;
	t->stage = STAGE_SETUP;
	while (t->n_inputs < setup->n_args && !is_output(t, t->n_inputs))
		t->n_inputs++;
	t->timing = (struct timing){
		.min_ms = setup->min_ms,
		.max_ms = setup->max_ms,
		.threads = setup->threads,
		.memory_us = setup->memory_us,
	};
	team_run(setup->threads, start_thread, NULL);
	t->timing.sibling = sibling_new(setup->threads, setup->cores);
	snprintf(text, PROTOCOL_TEXT, "there is not enough memory for its arguments");
	if (!setup->prepared) {
		if (!map_file(t, true))
			return false;
		for (int set = 0; set < INPUT_SETS; set++)
			if (!prepare(t, set, text))
				return false;
		unmap_file(t);
	}
	return map_file(t, false) && map_outputs(t) && start_flush(t);
}
