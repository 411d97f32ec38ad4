/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel.c - from an object to a function. */
#include "runtime/kernel.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/err.h"
#include "codegen/team.h"

int kernel_load(struct kernel *k, const char *object, int threads)
{
	void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return err_set("%s: cannot load: %s", object, dlerror());
	if (callable_find(&k->call, handle, "hone_kernel") < 0)
		return err_prefix("%s", object);
	k->threads = threads;
	k->workspace_bytes = k->call.workspace_bytes(threads);
	return 0;
}

void kernel_run(const struct kernel *k, void *const *args, void *workspace)
{
	callable_call(&k->call, k->threads, args, workspace);
}

void *kernel_buffer(size_t bytes)
{
	size_t lines = bytes / CALLABLE_ALIGN + 1;
	void *p = aligned_alloc(CALLABLE_ALIGN, lines * CALLABLE_ALIGN);

	if (!p)
		die("out of memory (%zu bytes)", bytes);
	return p;
}

void *kernel_packed(const struct kernel *k, int input, const void *raw)
{
	size_t bytes = k->call.packed_bytes(input);
	void *packed = bytes ? kernel_buffer(bytes) : NULL;

	if (packed)
		k->call.pack(input, raw, packed);
	return packed;
}
