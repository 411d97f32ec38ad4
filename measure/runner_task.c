/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner_task.c - hone-runner's set-up: buffers, inputs, reference outputs. */
#include "measure/runner_task.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/fill.h"

static bool is_output(const struct task *t, int i)
{
	return t->setup.args[i].role == ARG_OUTPUT;
}

static size_t arg_bytes(const struct task *t, int i)
{
	return (size_t)t->setup.args[i].count * dtype_bytes(t->setup.args[i].dtype);
}

/* The arguments' images follow each other in the memory file. */
static bool map_file(struct task *t, bool shared)
{
	int64_t offset = 0;

	for (int i = 0; i < t->setup.n_args; i++) {
		struct buffer *b = is_output(t, i) ? &t->want[i] : &t->args[i];

		if (!buffer_map(b, arg_bytes(t, i), RUNNER_MEMORY, offset, shared))
			return false;
		if (!shared)
			buffer_writable(b, false);
		offset += (int64_t)b->inner;
	}
	return true;
}

static void unmap_file(struct task *t)
{
	for (int i = 0; i < t->setup.n_args; i++)
		buffer_unmap(is_output(t, i) ? &t->want[i] : &t->args[i]);
}

/* An element the reference left as it was poisoned, or -1. Floats only: an integer may be -1. */
static int64_t unwritten(const struct task *t, int i)
{
	static const unsigned char poison[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
	size_t size = dtype_bytes(t->setup.args[i].dtype);

	if (!dtype_is_float(t->setup.args[i].dtype))
		return -1;
	for (int64_t e = 0; e < t->setup.args[i].count; e++)
		if (memcmp(t->want[i].data + (size_t)e * size, poison, size) == 0)
			return e;
	return -1;
}

static bool reference_is_whole(const struct task *t, char text[PROTOCOL_TEXT])
{
	for (int i = t->n_inputs; i < t->setup.n_args; i++) {
		const char *name = t->setup.args[i].name;
		int64_t at;

		if (!buffer_intact(&t->want[i], &at)) {
			snprintf(text, PROTOCOL_TEXT, "it writes outside of %s, at byte %lld", name,
				 (long long)at);
			return false;
		}
		if ((at = unwritten(t, i)) >= 0) {
			snprintf(text, PROTOCOL_TEXT, "it leaves %s[%lld] unwritten", name,
				 (long long)at);
			return false;
		}
	}
	return true;
}

/* Fills the memory file: random inputs, and what the reference makes of them. */
static bool prepare(struct task *t, char text[PROTOCOL_TEXT])
{
	struct kernel k = { 0 };

	for (int i = 0; i < t->n_inputs; i++) {
		const struct setup_arg *a = &t->setup.args[i];

		fill_random(a->dtype, t->args[i].data, a->count, a->low, a->high, t->setup.seed, i);
		buffer_writable(&t->args[i], false);
	}
	bool ok = kernel_load(t, &k, t->setup.reference, text) == TRIAL_OK;

	if (ok) {
		for (int i = t->n_inputs; i < t->setup.n_args; i++) {
			buffer_poison(&t->want[i]);
			k.args[i] = t->want[i].data;
		}
		t->stage = STAGE_SETUP;
		ok = kernel_returned(k.timed.run(k.args), text) == TRIAL_OK &&
		     reference_is_whole(t, text);
	}
	t->current = NULL;
	kernel_unload(&k);
	return ok;
}

static bool map_outputs(struct task *t)
{
	for (int i = t->n_inputs; i < t->setup.n_args; i++) {
		const struct setup_arg *a = &t->setup.args[i];

		if (!buffer_map(&t->args[i], arg_bytes(t, i), -1, 0, false))
			return false;
		t->tolerance[i] = verify_tolerance(a->dtype, t->want[i].data, a->count,
						   t->setup.reduction, t->setup.magnitude);
	}
	return true;
}

static bool start_flush(struct task *t)
{
	if (t->setup.cold)
		t->timing.flush = flush_new(t->setup.flush_bytes, t->setup.flush_private);
	return !t->setup.cold || t->timing.flush;
}

bool task_setup(struct task *t, const struct setup *setup, char text[PROTOCOL_TEXT])
{
	t->setup = *setup;
	t->stage = STAGE_SETUP;
	while (t->n_inputs < setup->n_args && !is_output(t, t->n_inputs))
		t->n_inputs++;
	t->timing = (struct timing){
		.min_ms = setup->min_ms,
		.max_ms = setup->max_ms,
		.threads = setup->threads,
		.reference = { timing_calibration, NULL },
	};
	snprintf(text, PROTOCOL_TEXT, "there is not enough memory for its arguments");
	if (!setup->prepared) {
		if (!map_file(t, true) || !prepare(t, text))
			return false;
		unmap_file(t);
	}
	return map_file(t, false) && map_outputs(t) && start_flush(t);
}
