/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/compiled.c - emits each case to a file of its own, links them to two objects. */
#include "tests/property/compiled.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "codegen/emit.h"

/* Of the compiler, side by side: the test takes two cores. */
enum { OBJECTS = 2, BATCH = 40 };

struct batch {
	struct arena *arena;
	const char *dir;
	struct sample *samples[BATCH];
	const char *source[BATCH]; /* C text */
	int n;
	bool keep;
};

struct batch *batch_new(void)
{
	struct arena *a = arena_new();
	struct batch *b = arena_one(a, struct batch);

	b->arena = a;
	b->dir = dir_temp(a);
	if (!b->dir)
		die("%s", err_get());
	return b;
}

void batch_free(struct batch *b)
{
	for (int i = 0; i < b->n; i++)
		sample_free(b->samples[i]);
	if (!b->keep)
		dir_remove(b->dir);
	arena_free(b->arena);
}

bool batch_has_room(const struct batch *b)
{
	return b->n < BATCH;
}

static const char *symbol_of(struct batch *b, const struct sample *s)
{
	return arena_printf(b->arena, "hone_case_%" PRIu64, s->seed);
}

static const char *path_of(struct batch *b, const struct sample *s)
{
	return arena_printf(b->arena, "%s/%" PRIu64 ".c", b->dir, s->seed);
}

bool batch_add(struct batch *b, struct sample *s)
{
	struct emit_options options = {.symbol = symbol_of(b, s), .vector_bytes = s->vector_bytes};
	struct text text = {0};
	bool ok = emit_c(&text, s->program, &options, NULL);

	if (ok) {
		if (file_write(path_of(b, s), text_str(&text), text.n) < 0)
			die("%s", err_get());
		b->source[b->n] = arena_strdup(b->arena, text_str(&text));
		b->samples[b->n++] = s;
	}
	text_free(&text);
	return ok;
}

static const char *object_of(struct batch *b, int object)
{
	return arena_printf(b->arena, "%s/%d.so", b->dir, object);
}

/* Starts the compiler on every OBJECTS-th source. */
static FILE *start_build(struct batch *b, int object)
{
	const char *cc = getenv("CC");
	struct text command = {0};

	text_printf(&command, "%s -shared -fPIC -O1 -march=native -fopenmp -w -o %s",
		    cc && *cc ? cc : "cc", object_of(b, object));
	for (int i = object; i < b->n; i += OBJECTS)
		text_printf(&command, " %s", path_of(b, b->samples[i]));
	text_puts(&command, " -lm 2>&1");
	FILE *pipe = popen(text_str(&command), "r");

	if (!pipe)
		die("cannot start %s", text_str(&command));
	text_free(&command);
	return pipe;
}

static int build(struct batch *b)
{
	FILE *pipe[OBJECTS];
	char line[512];
	int failed = 0;

	for (int i = 0; i < OBJECTS; i++)
		pipe[i] = i < b->n ? start_build(b, i) : NULL;
	for (int i = 0; i < OBJECTS; i++) {
		while (pipe[i] && fgets(line, sizeof(line), pipe[i]))
			fputs(line, stderr);
		failed += pipe[i] && pclose(pipe[i]) != 0;
	}
	return failed;
}

typedef int32_t kernel_fn(void *const *args);
typedef size_t packed_bytes_fn(int32_t input);
typedef void pack_fn(int32_t input, const void *raw, void *packed);

/* What dlsym gives, as the function it is: ISO C has no cast for that. */
static void find(struct batch *b, void *object, const char *symbol, const char *suffix, void *fn)
{
	void *found = dlsym(object, arena_printf(b->arena, "%s%s", symbol, suffix));

	if (!found)
		die("%s%s: %s", symbol, suffix, dlerror());
	memcpy(fn, &found, sizeof(found));
}

/* The emitted packing gives what pack_interpret gave. */
static bool packs_match(const struct sample *s, packed_bytes_fn *packed_bytes, pack_fn *pack)
{
	for (int i = 0; i < s->nargs; i++) {
		bool packed = program_pack(s->program, i);
		size_t bytes = packed_bytes(i);
		bool same = bytes == (packed ? s->args[i].bytes : 0);

		if (packed && same) {
			void *out = malloc(bytes + 1);

			pack(i, s->raw[i].data, out);
			same = memcmp(out, s->args[i].data, bytes) == 0;
			free(out);
		}
		if (!same) {
			fprintf(stderr, "argument %d is packed differently\n", i);
			return false;
		}
	}
	return true;
}

static bool run_one(struct batch *b, struct sample *s, void *object)
{
	const char *symbol = symbol_of(b, s);
	void **args;
	kernel_fn *kernel;
	packed_bytes_fn *packed_bytes;
	pack_fn *pack;

	find(b, object, symbol, "", &kernel);
	find(b, object, symbol, "_packed_bytes", &packed_bytes);
	find(b, object, symbol, "_pack", &pack);
	if (s->nargs == 0)
		sample_prepare(s);
	sample_poison(s);
	args = arena_many(b->arena, void *, s->nargs);
	for (int i = 0; i < s->nargs; i++)
		args[i] = s->args[i].data;
	if (!packs_match(s, packed_bytes, pack))
		return false;
	if (kernel(args) != 0) {
		fprintf(stderr, "the kernel ran out of memory\n");
		return false;
	}
	return sample_matches(s, "compiled C");
}

int batch_run(struct batch *b, volatile uint64_t *current)
{
	uint64_t next = *current;
	int failed = build(b);

	for (int object = 0; object < OBJECTS && object < b->n && failed == 0; object++) {
		void *handle = dlopen(object_of(b, object), RTLD_NOW | RTLD_LOCAL);

		if (!handle)
			die("%s", dlerror());
		for (int i = object; i < b->n; i += OBJECTS) {
			*current = b->samples[i]->seed;
			if (run_one(b, b->samples[i], handle))
				continue;
			failed++;
			sample_print(b->samples[i]);
			fprintf(stderr, "# >>> c\n%s\n", b->source[i]);
		}
	} /* never closed: libgomp's threads outlive the object that brought them */
	if (failed) {
		b->keep = true;
		fprintf(stderr, "the sources are in %s\n", b->dir);
	}
	*current = next;
	return failed;
}
