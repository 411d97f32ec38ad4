/* SPDX-License-Identifier: Apache-2.0 */
/* bench/kernel.c - from an object to a function. */
#include "bench/kernel.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* The runtime may have come with a library and read the environment before anybody set it. */
static void set_threads(void *handle, int threads)
{
	void *symbol = dlsym(handle, "omp_set_num_threads");
	void (*set)(int);

	memcpy(&set, &symbol, sizeof(set));
	if (set)
		set(threads);
}

int kernel_load(struct kernel *k, const char *object, int threads)
{
	/* Never unloaded: the threads of an OpenMP runtime would lose the ground they stand on. */
	void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!handle)
		return err_set("%s: cannot load: %s", object, dlerror());
	void *run = dlsym(handle, "hone_kernel");
	void *bytes = dlsym(handle, "hone_kernel_packed_bytes");
	void *pack = dlsym(handle, "hone_kernel_pack");

	if (!run || !bytes || !pack)
		return err_set("%s: is not a kernel of hone", object);
	memcpy(&k->run, &run, sizeof(run));
	memcpy(&k->packed_bytes, &bytes, sizeof(bytes));
	memcpy(&k->pack, &pack, sizeof(pack));
	set_threads(handle, threads);
	return 0;
}

int kernel_run(const struct kernel *k, void *const *args)
{
	int32_t rc = k->run(args);

	return rc ? err_set("our kernel returned %d", rc) : 0;
}

void *kernel_buffer(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);

	if (!p)
		die("out of memory (%zu bytes)", bytes);
	return p;
}

void *kernel_packed(const struct kernel *k, int input, const void *raw)
{
	size_t bytes = k->packed_bytes(input);
	void *packed = bytes ? kernel_buffer(bytes) : NULL;

	if (packed)
		k->pack(input, raw, packed);
	return packed;
}
