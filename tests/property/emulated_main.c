/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/emulated_main.c - runs a kernel's object once, on the machine that it is compiled for.
 *
 * In:   OBJECT, ARGS, THREADS and LAST_FIRST (0 or 1). ARGS is a file of arguments, one behind the
 *       other: an int64_t of bytes, then so many of them, constants not packed.
 * Out:  ARGS with what the kernel left in them; 0, or 1 and a message. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "codegen/callable.h"

enum { MAX_ARGS = 64 };

struct arguments {
	int64_t bytes[MAX_ARGS];
	void *raw[MAX_ARGS];
	void *args[MAX_ARGS];	/* the same, or packed */
	int n;
};

static void *room(size_t bytes)
{
	void *p = aligned_alloc(CALLABLE_ALIGN, (bytes / CALLABLE_ALIGN + 1) * CALLABLE_ALIGN);

	if (!p)
		die("out of memory");
	return p;
}

static void read_arguments(struct arguments *x, FILE *f)
{
	int64_t bytes;

	while (x->n < MAX_ARGS && fread(&bytes, sizeof(bytes), 1, f) == 1) {
		x->bytes[x->n] = bytes;
		x->raw[x->n] = room((size_t)bytes);
		if (fread(x->raw[x->n], 1, (size_t)bytes, f) != (size_t)bytes)
			die("an argument ends early");
		x->n++;
	}
}

static void write_arguments(const struct arguments *x, FILE *f)
{
	rewind(f);
	for (int i = 0; i < x->n; i++)
		if (fwrite(&x->bytes[i], sizeof(x->bytes[i]), 1, f) != 1 ||
		    fwrite(x->raw[i], 1, (size_t)x->bytes[i], f) != (size_t)x->bytes[i])
			die("cannot write arguments");
}

static void run(const struct callable *k, struct arguments *x, int threads, int last_first)
{
	void *workspace = room(k->workspace_bytes(threads));

	for (int i = 0; i < x->n; i++) {
		size_t packed = k->packed_bytes(i);

		x->args[i] = packed ? room(packed) : x->raw[i];
		if (packed)
			k->pack(i, x->raw[i], x->args[i]);
	}
	for (int phase = 0; phase < k->phases(); phase++)
		for (int i = 0; i < threads; i++)
			k->part(phase, x->args, workspace, last_first ? threads - 1 - i : i, threads);
}

int main(int argc, char **argv)
{
	static struct arguments x;
	struct callable kernel;
	void *object = argc == 5 ? dlopen(argv[1], RTLD_NOW) : NULL;
	FILE *f = object ? fopen(argv[2], "r+b") : NULL;

	if (!f)
		die("%s", argc == 5 && !object ? dlerror() : "OBJECT ARGS THREADS LAST_FIRST");
	if (callable_find(&kernel, object, "hone_kernel") < 0)
		die("%s", err_get());
	read_arguments(&x, f);
	run(&kernel, &x, atoi(argv[3]), atoi(argv[4]));
	write_arguments(&x, f);
	return fclose(f) != 0;
}
