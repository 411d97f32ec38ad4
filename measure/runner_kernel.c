/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner_kernel.c - hone-runner: loads an object, packs its constants, verifies it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "measure/runner_task.h"

/* A packed constant may be padded, but not without end. */
enum { PACK_FACTOR = 64, PACK_SLACK = 1 << 20 };

/* OpenMP's threads live on after a kernel is unloaded, so their code must too. */
static void keep_openmp(void)
{
	static const char *const names[] = { "libgomp.so.1", "libomp.so.5", "libomp.so" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *h = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);

		if (h)
			dlclose(h);
	}
}

static enum trial_status pack_one(struct task *t, struct kernel *k, int i, size_t bytes,
				  void (*pack)(int32_t, const void *, void *),
				  char text[PROTOCOL_TEXT])
{
	const char *name = t->setup.args[i].name;

	if (t->setup.args[i].role != ARG_CONST) {
		snprintf(text, PROTOCOL_TEXT, "wants %s packed, which is not constant", name);
		return TRIAL_WRONG;
	}
	if (!pack) {
		snprintf(text, PROTOCOL_TEXT, "hone_kernel_pack is missing for %s", name);
		return TRIAL_BUILD_ERROR;
	}
	if (bytes / PACK_FACTOR > t->args[i].bytes + PACK_SLACK ||
	    !buffer_map(&k->packed[i], bytes, -1, 0, false)) {
		snprintf(text, PROTOCOL_TEXT, "wants %zu bytes for %s packed, which has %zu", bytes,
			 name, t->args[i].bytes);
		return TRIAL_CRASH;
	}
	buffer_poison(&k->packed[i]);
	pack(i, t->args[i].data, k->packed[i].data);
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

static enum trial_status pack_constants(struct task *t, struct kernel *k, char text[PROTOCOL_TEXT])
{
	size_t (*packed_bytes)(int32_t) = NULL;
	void (*pack)(int32_t, const void *, void *) = NULL;

	/* ISO C has no cast from an object's address to a function's; POSIX says it works. */
	*(void **)&packed_bytes = dlsym(k->object, "hone_kernel_packed_bytes");
	*(void **)&pack = dlsym(k->object, "hone_kernel_pack");
	for (int i = 0; packed_bytes && i < t->n_inputs; i++) {
		size_t bytes = packed_bytes(i);
		enum trial_status s = bytes ? pack_one(t, k, i, bytes, pack, text) : TRIAL_OK;

		if (s != TRIAL_OK)
			return s;
	}
	return TRIAL_OK;
}

enum trial_status kernel_load(struct task *t, struct kernel *k, const char *path,
			      char text[PROTOCOL_TEXT])
{
	t->current = k;
	t->stage = STAGE_LOAD;
	k->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!k->object) {
		snprintf(text, PROTOCOL_TEXT, "cannot be loaded: %s", dlerror());
		return TRIAL_BUILD_ERROR;
	}
	keep_openmp();
	*(void **)&k->timed.run = dlsym(k->object, "hone_kernel");
	if (!k->timed.run) {
		snprintf(text, PROTOCOL_TEXT, "does not export hone_kernel");
		return TRIAL_BUILD_ERROR;
	}
	k->timed.args = k->args;
	return TRIAL_OK;
}

static void drop_packed(struct kernel *k)
{
	for (int i = 0; i < WORKLOAD_ARGS; i++)
		buffer_unmap(&k->packed[i]);
}

enum trial_status kernel_bind(struct task *t, struct kernel *k, enum input_set set,
			      char text[PROTOCOL_TEXT])
{
	t->current = k;
	t->stage = STAGE_PACK;
	t->set = set;
	drop_packed(k);
	for (int i = 0; i < t->setup.n_args; i++) {
		if (i < t->n_inputs)
			t->args[i] = t->image[set].data[i];
		k->args[i] = t->args[i].data;
	}
	return pack_constants(t, k, text);
}

void kernel_unload(struct kernel *k)
{
	drop_packed(k);
	if (k->object)
		dlclose(k->object);
	*k = (struct kernel){ 0 };
}

enum trial_status kernel_returned(int32_t rc, char text[PROTOCOL_TEXT])
{
	if (rc == 0)
		return TRIAL_OK;
	snprintf(text, PROTOCOL_TEXT, "returned %d", rc);
	return TRIAL_CRASH;
}

/* Bytes around output I that were written, or elements beyond their bound. */
static bool output_is_right(const struct task *t, int i, const char *when, char text[PROTOCOL_TEXT])
{
	const struct setup_arg *a = &t->setup.args[i];
	const struct buffer *b = &t->args[i];
	int64_t at;

	if (!buffer_intact(b, &at)) {
		snprintf(text, PROTOCOL_TEXT, "%swrote outside of %s, %lld bytes %s", when, a->name,
			 (long long)(at < 0 ? -at : at - (int64_t)b->bytes),
			 at < 0 ? "before its begin" : "beyond its end");
		return false;
	}
	const void *all = t->image[t->set].data[i].data, *bound = t->image[t->set].bound[i].data;

	at = verify_worst(a->dtype, b->data, all, bound, a->count);
	if (at < 0)
		return true;
	double got = dtype_load(a->dtype, b->data, at);
	double want = dtype_load(a->dtype, all, at);

	snprintf(text, PROTOCOL_TEXT, "%s%s[%lld] is %.9g, the reference has %.9g, bound %.3g%s",
		 when, a->name, (long long)at, got, want, verify_bound(a->dtype, bound, at),
		 t->set == INPUTS_EXACT ? " (inputs of few bits)" : "");
	return false;
}

static void poison(struct task *t, int i)
{
	const struct setup_arg *a = &t->setup.args[i];

	buffer_poison(&t->args[i]);
	verify_poison(a->dtype, t->args[i].data, t->image[t->set].data[i].data, a->count);
}

enum trial_status kernel_verify(struct task *t, struct kernel *k, enum stage stage,
				char text[PROTOCOL_TEXT])
{
	t->current = k;
	t->stage = stage;
	for (int i = t->n_inputs; i < t->setup.n_args; i++)
		poison(t, i);
	int64_t start = clock_ns();
	int32_t rc = poison_run(k);

	t->first_us = (double)(clock_ns() - start) * 1e-3;
	enum trial_status s = kernel_returned(rc, text);

	for (int i = t->n_inputs; i < t->setup.n_args && s == TRIAL_OK; i++)
		if (!output_is_right(t, i, stage == STAGE_REVERIFY ? "when run again, " : "", text))
			s = TRIAL_WRONG;
	return s;
}
