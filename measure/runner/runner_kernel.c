/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_kernel.c - hone-runner: loads an object, gives it memory, packs its constants,
 * verifies it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "measure/runner/runner_task.h"

/* A packed constant may be padded, but not without end. */
enum { PACK_FACTOR = 64, PACK_SLACK = 1 << 20 };

static enum trial_status pack_one(struct runner_task *t, struct loaded_kernel *k, int i,
				  size_t bytes, char text[PROTOCOL_TEXT])
{
	const char *name = t->setup.args[i].name;

	if (t->setup.args[i].role != ARG_CONST) {
		snprintf(text, PROTOCOL_TEXT, "wants %s packed, which is not constant", name);
		return TRIAL_WRONG;
	}
	if (bytes / PACK_FACTOR > t->args[i].bytes + PACK_SLACK ||
	    !buffer_map_again(&k->packed[i], bytes, &t->spare[i])) {
		snprintf(text, PROTOCOL_TEXT, "wants %zu bytes for %s packed, which has %zu", bytes,
			 name, t->args[i].bytes);
		return TRIAL_CRASH;
	}
	buffer_poison(&k->packed[i]);
	k->call.pack(i, t->args[i].data, k->packed[i].data);
	int64_t at;

	if (!buffer_intact(&k->packed[i], &at)) {
		snprintf(text, PROTOCOL_TEXT, "packing wrote outside of %s, at byte %lld of %zu",
			 name, (long long)at, bytes);
		return TRIAL_WRONG;
	}
	buffer_writable(&k->packed[i], false);
	k->args[i] = k->packed[i].data;
	return TRIAL_OK;
}

static enum trial_status pack_constants(struct runner_task *t, struct loaded_kernel *k,
					char text[PROTOCOL_TEXT])
{
	for (int i = 0; i < t->n_inputs; i++) {
		size_t bytes = k->call.packed_bytes(i);
		enum trial_status s = bytes ? pack_one(t, k, i, bytes, text) : TRIAL_OK;

		if (s != TRIAL_OK)
			return s;
	}
	return TRIAL_OK;
}

/* Gives back what K has no use for, before it gets a workspace: it has as much memory as without. */
static void fit_spare(struct runner_task *t, const struct loaded_kernel *k)
{
	for (int i = 0; i < t->n_inputs; i++) {
		size_t bytes = k->call.packed_bytes(i);

		if (bytes == 0 || t->spare[i].inner != buffer_inner(bytes))
			buffer_unmap(&t->spare[i]);
	}
}

size_t task_spare_bytes(const struct runner_task *t)
{
	size_t bytes = 0;

	for (int i = 0; i < t->n_inputs; i++)
		bytes += t->spare[i].inner;
	return bytes;
}

static enum trial_status map_workspace(struct loaded_kernel *k, int threads, size_t most,
				       char text[PROTOCOL_TEXT])
{
	size_t bytes = k->call.workspace_bytes(threads);

	if (bytes > most || (bytes > 0 && !buffer_map(&k->workspace, bytes, -1, 0, false))) {
		snprintf(text, PROTOCOL_TEXT, "wants %zu bytes of workspace, more than there are",
			 bytes);
		return TRIAL_CRASH;
	}
	return TRIAL_OK;
}

enum trial_status kernel_load(struct runner_task *t, struct loaded_kernel *k, const char *path,
			      const char *symbol, size_t most, char text[PROTOCOL_TEXT])
{
	t->current = k;
	t->stage = STAGE_LOAD;
	k->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!k->object) {
		snprintf(text, PROTOCOL_TEXT, "cannot be loaded: %s", dlerror());
		return TRIAL_BUILD_ERROR;
	}
	if (callable_find(&k->call, k->object, symbol) < 0) {
		snprintf(text, PROTOCOL_TEXT, "%s", err_get());
		return TRIAL_BUILD_ERROR;
	}
	fit_spare(t, k);
	enum trial_status s = map_workspace(k, t->setup.threads, most, text);

	k->timed = (struct timed){ .call = &k->call, .args = k->args, .workspace = k->workspace.data, .threads = t->setup.threads };
	return s;
}

static void spare_packed(struct runner_task *t, struct loaded_kernel *k)
{
	for (int i = 0; i < WORKLOAD_ARGS; i++) {
		if (!k->packed[i].map)
			continue;
		buffer_unmap(&t->spare[i]);
		t->spare[i] = k->packed[i];
		k->packed[i] = (struct guarded_buffer){ 0 };
	}
}

static void note(struct evicted *e, const struct guarded_buffer *b)
{
	e->at[e->n].data = b->data;
	e->at[e->n++].bytes = b->bytes;
}

/* What K's runs do not find in the caches, and what they find in those of other threads, if it has any of that. */
static void note_caches(const struct runner_task *t, struct loaded_kernel *k)
{
	k->evicted.n = k->handed_on.n = 0;
	for (int i = 0; i < t->setup.n_args; i++) {
		const struct guarded_buffer *b = k->packed[i].map ? &k->packed[i] : &t->args[i];

		note(t->setup.args[i].role == ARG_CONST ? &k->evicted : &k->handed_on, b);
	}
	k->timed.evicted = k->evicted.n ? &k->evicted : NULL;
	k->timed.handed_on = k->handed_on.n && t->setup.threads > 1 ? &k->handed_on : NULL;
}

enum trial_status kernel_bind(struct runner_task *t, struct loaded_kernel *k, enum input_set set,
			      char text[PROTOCOL_TEXT])
{
	t->current = k;
	t->stage = STAGE_PACK;
	t->set = set;
	spare_packed(t, k);
	for (int i = 0; i < t->setup.n_args; i++) {
		if (i < t->n_inputs)
			t->args[i] = t->image[set].data[i];
		k->args[i] = t->args[i].data;
	}
	enum trial_status s = pack_constants(t, k, text);

	if (s == TRIAL_OK && t->setup.cold_weights)
		note_caches(t, k);
	return s;
}

void kernel_unload(struct runner_task *t, struct loaded_kernel *k)
{
	spare_packed(t, k);
	buffer_unmap(&k->workspace);
	if (k->object)
		dlclose(k->object);
	*k = (struct loaded_kernel){ 0 };
}

/* False where bytes around B, which is NAME to people, were written. */
static bool is_intact(const struct guarded_buffer *b, const char *name, const char *when,
		      char text[PROTOCOL_TEXT])
{
	int64_t at;

	if (!b->map || buffer_intact(b, &at))
		return true;
	snprintf(text, PROTOCOL_TEXT, "%swrote outside of %s, %lld bytes %s", when, name,
		 (long long)(at < 0 ? -at : at - (int64_t)b->bytes),
		 at < 0 ? "before its begin" : "beyond its end");
	return false;
}

/* Whether output I, whose elements are within their bounds, is right in all. */
static bool rms_is_right(const struct runner_task *t, int i, const char *when,
			 char text[PROTOCOL_TEXT])
{
	const struct setup_arg *a = &t->setup.args[i];
	const struct input_image *image = &t->image[t->set];

	if (t->setup.rms_most <= 0 || t->set != INPUTS_RANDOM || !dtype_is_float(a->dtype) ||
	    dtype_bytes(a->dtype) < 4)
		return true;
	double rms = verify_rms(a->dtype, t->args[i].data, image->data[i].data,
				image->bound[i].data, a->count);

	if (rms <= t->setup.rms_most)
		return true;
	snprintf(text, PROTOCOL_TEXT, "%s%s is off by %.2g of its root mean square, at most %.2g is right",
		 when, a->name, rms, t->setup.rms_most);
	return false;
}

/* Whether output I is, element by element and in all, and nothing around it was written. */
static bool output_is_right(const struct runner_task *t, int i, const char *when,
			    char text[PROTOCOL_TEXT])
{
	const struct setup_arg *a = &t->setup.args[i];
	const struct guarded_buffer *b = &t->args[i];

	if (!is_intact(b, a->name, when, text))
		return false;
	const void *all = t->image[t->set].data[i].data, *bound = t->image[t->set].bound[i].data;
	int64_t at = verify_worst(a->dtype, b->data, all, bound, a->count);

	if (at < 0)
		return rms_is_right(t, i, when, text);
	double got = dtype_load(a->dtype, b->data, at);
	double want = dtype_load(a->dtype, all, at);

	snprintf(text, PROTOCOL_TEXT, "%s%s[%lld] is %.9g, the reference has %.9g, bound %.3g%s",
		 when, a->name, (long long)at, got, want, verify_bound(a->dtype, bound, at),
		 t->set == INPUTS_EXACT ? " (inputs of few bits)" : "");
	return false;
}

static void poison(struct runner_task *t, int i)
{
	const struct setup_arg *a = &t->setup.args[i];

	buffer_poison(&t->args[i]);
	verify_poison(a->dtype, t->args[i].data, t->image[t->set].data[i].data, a->count);
}

enum trial_status kernel_verify(struct runner_task *t, struct loaded_kernel *k,
				enum runner_stage stage, char text[PROTOCOL_TEXT])
{
	const char *when = stage == STAGE_REVERIFY ? "when run again, " : "";

	t->current = k;
	t->stage = stage;
	for (int i = t->n_inputs; i < t->setup.n_args; i++)
		poison(t, i);
	if (k->workspace.map)
		buffer_poison(&k->workspace);
	if (stage == STAGE_VERIFY)
		deadline_begin(t->limit_us);
	poison_run(k);
	deadline_end();
	if (!is_intact(&k->workspace, "its workspace", when, text))
		return TRIAL_WRONG;
	for (int i = t->n_inputs; i < t->setup.n_args; i++)
		if (!output_is_right(t, i, when, text))
			return TRIAL_WRONG;
	return TRIAL_OK;
}
