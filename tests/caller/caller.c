/* SPDX-License-Identifier: Apache-2.0 */
/* tests/caller/caller.c - somebody's program that uses an exported kernel, from threads of its own.
 *
 *	caller FOLDER THREADS
 *
 * In:   FOLDER/C-A: argument A of caller C as the header lists it; of outputs the size counts.
 * Out:  the same files, for outputs, as the kernel left them; status 0.
 * Holds: the callers run at once, each with little stack and memory of its own; allocators, which
 *        are linked with --wrap, are not called meanwhile.
 *
 * Compiled with -DKERNEL=, -DINPUTS=, -DARGS= and -DCALLERS= (how many of them), -DSTACK=. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hone_kernels.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* Of the C library's thread, beyond what the kernel may take. */
enum { ROUNDS = 30, THREAD_STACK = 32 * 1024, GUARD = 4096, POISON = 0xff };

struct memory {
	size_t bytes;
	unsigned char *data;	/* GUARD bytes of poison behind it */
};

struct caller {
	struct memory arg[ARGS], first[ARGS], workspace;
	void *args[ARGS];
	const char *wrong;
};

static int32_t threads;
static pthread_barrier_t start;

/* --- allocators, as the kernel would reach them */

static atomic_int allocations;

#define WRAP(name, parameters, ...)                                                                \
	void *__real_##name parameters;                                                            \
	void *__wrap_##name parameters;                                                            \
	void *__wrap_##name parameters                                                             \
	{                                                                                          \
		allocations++;                                                                     \
		return __real_##name(__VA_ARGS__);                                                 \
	}

WRAP(malloc, (size_t bytes), bytes)
WRAP(calloc, (size_t n, size_t bytes), n, bytes)
WRAP(realloc, (void *p, size_t bytes), p, bytes)
WRAP(aligned_alloc, (size_t align, size_t bytes), align, bytes)

/* --- memory and files */

static void fail(const char *what)
{
	fprintf(stderr, "caller: %s\n", what);
	exit(1);
}

static struct memory memory_new(size_t bytes)
{
	struct memory m = { bytes, aligned_alloc(64, (bytes + GUARD + 63) / 64 * 64) };

	if (!m.data)
		fail("no memory");
	memset(m.data, POISON, bytes + GUARD);
	return m;
}

static int is_guarded(const struct memory *m)
{
	for (size_t i = 0; i < GUARD; i++)
		if (m->data[m->bytes + i] != POISON)
			return 0;
	return 1;
}

static FILE *open_arg(const char *folder, int caller, int arg, const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%d-%d", folder, caller, arg);
	FILE *f = fopen(path, mode);

	if (!f)
		fail("an argument is not there");
	return f;
}

static struct memory memory_read(FILE *f)
{
	if (fseek(f, 0, SEEK_END) != 0)
		fail("an argument has no size");
	struct memory m = memory_new((size_t)ftell(f));

	rewind(f);
	if (fread(m.data, 1, m.bytes, f) != m.bytes || fclose(f) != 0)
		fail("an argument cannot be read");
	return m;
}

static void memory_write(const struct memory *m, FILE *f)
{
	if (fwrite(m->data, 1, m->bytes, f) != m->bytes || fclose(f) != 0)
		fail("an output cannot be written");
}

/* --- calls */

static void pack(struct memory *m, int input)
{
	size_t bytes = JOIN(KERNEL, _packed_bytes)(input);

	if (bytes == 0)
		return;
	struct memory packed = memory_new(bytes);

	JOIN(KERNEL, _pack)(input, m->data, packed.data);
	if (!is_guarded(&packed))
		fail("packing goes beyond its end");
	free(m->data);
	*m = packed;
}

static void prepare(struct caller *c, const char *folder, int caller)
{
	c->workspace = memory_new(JOIN(KERNEL, _workspace_bytes)(threads));
	for (int i = 0; i < ARGS; i++) {
		c->arg[i] = memory_read(open_arg(folder, caller, i, "rb"));
		if (i < INPUTS)
			pack(&c->arg[i], i);
		else
			c->first[i] = memory_new(c->arg[i].bytes);
		c->args[i] = c->arg[i].data;
	}
}

/* The result of each round is that of the first, bit by bit. */
static const char *check_round(struct caller *c, int round)
{
	if (!is_guarded(&c->workspace))
		return "the workspace is left";
	for (int i = INPUTS; i < ARGS; i++) {
		if (round == 0)
			memcpy(c->first[i].data, c->arg[i].data, c->arg[i].bytes);
		if (!is_guarded(&c->arg[i]))
			return "an output is left";
		if (memcmp(c->first[i].data, c->arg[i].data, c->arg[i].bytes) != 0)
			return "the calls disturb each other";
	}
	return NULL;
}

static void *call(void *user)
{
	struct caller *c = user;
	void *workspace = c->workspace.bytes ? c->workspace.data : NULL;

	pthread_barrier_wait(&start);
	for (int round = 0; round < ROUNDS && !c->wrong; round++) {
		memset(c->workspace.data, POISON, c->workspace.bytes);
		for (int i = INPUTS; i < ARGS; i++)
			memset(c->arg[i].data, POISON, c->arg[i].bytes);
		if (KERNEL(c->args, workspace, threads) != 0)
			c->wrong = "the kernel refuses";
		else
			c->wrong = check_round(c, round);
	}
	return NULL;
}

/* Without what it needs, it says so and leaves its outputs alone. */
static void check_refusals(const struct caller *c)
{
	for (int i = INPUTS; i < ARGS; i++)
		memcpy(c->first[i].data, c->arg[i].data, c->arg[i].bytes);
	if (KERNEL(c->args, c->workspace.data, 0) != -1)
		fail("no threads are enough");
	if (c->workspace.bytes && KERNEL(c->args, NULL, threads) != -1)
		fail("no workspace is enough");
	for (int i = INPUTS; i < ARGS; i++)
		if (memcmp(c->first[i].data, c->arg[i].data, c->arg[i].bytes) != 0)
			fail("it computes and refuses");
}

static void run_all(struct caller *c)
{
	pthread_t thread[CALLERS];
	pthread_attr_t little;

	if (pthread_attr_init(&little) != 0 ||
	    pthread_attr_setstacksize(&little, STACK + THREAD_STACK) != 0 ||
	    pthread_barrier_init(&start, NULL, CALLERS) != 0)
		fail("no threads");
	allocations = 0;
	for (int i = 0; i < CALLERS; i++)
		if (pthread_create(&thread[i], &little, call, &c[i]) != 0)
			fail("no thread");
	for (int i = 0; i < CALLERS; i++)
		pthread_join(thread[i], NULL);
	if (allocations != 0)
		fail("it allocates");
}

int main(int argc, char **argv)
{
	static struct caller callers[CALLERS];

	if (argc != 3)
		fail("FOLDER THREADS");
	threads = atoi(argv[2]);
	for (int i = 0; i < CALLERS; i++)
		prepare(&callers[i], argv[1], i);
	check_refusals(&callers[0]);
	run_all(callers);
	for (int i = 0; i < CALLERS; i++) {
		if (callers[i].wrong)
			fail(callers[i].wrong);
		for (int arg = INPUTS; arg < ARGS; arg++)
			memory_write(&callers[i].arg[arg], open_arg(argv[1], i, arg, "wb"));
	}
	return 0;
}
