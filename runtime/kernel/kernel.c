/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/kernel.c - from an object to a function. */
#include "runtime/kernel/kernel.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"

/* Of x86 and of 64-bit ARM with small pages of 4 KiB: large weights are filled, and found by the
 * processor, with fewer pages. */
#define HUGE_PAGE ((size_t)2 << 20)
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
	size_t align = bytes < HUGE_PAGE ? CALLABLE_ALIGN : HUGE_PAGE;
	void *p;

	if (posix_memalign(&p, align, (bytes / CALLABLE_ALIGN + 1) * CALLABLE_ALIGN) != 0)
		die("out of memory (%zu bytes)", bytes);
	if (align == HUGE_PAGE)
		madvise(p, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
	return p;
}

void *kernel_packed(const struct kernel *k, int input, const void *raw)
{
	size_t bytes = k->call.packed_bytes(input);
	void *packed = bytes ? kernel_buffer(bytes) : NULL;

	if (!packed)
		return NULL;
	memset(packed, 0, bytes);	/* also the room behind, so that what is written down is the same each time */
	k->call.pack(input, raw, packed);
	return packed;
}
