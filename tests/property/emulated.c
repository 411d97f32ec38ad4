/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/emulated.c - arguments go to the emulated program and back as a file. */
#include "tests/property/emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/workdir.h"
#include "measure/build/pool.h"
#include "measure/process/spawn.h"

#define LIMIT_S 60.0
#define MEMORY	((size_t)16 << 30)

struct emulation {
	struct arena *arena;
	struct workdir folder;
	const char *emulator, *root, *program;
};

/* Runs ARGV; false where it fails, its output in *OUT. */
static bool run(struct arena *a, const char *const *argv, const char **out)
{
	static const char *const none[] = {NULL};
	const struct pool_limits limits = {.jobs = 1, .limit_s = LIMIT_S, .memory = MEMORY};
	struct command_run r = {.argv = argv};

	if (pool_run(a, &r, 1, &limits, spawn_env(a, none)) < 0) {
		*out = err_get();
		return false;
	}
	*out = r.output ? r.output : "";
	return command_succeeded(&r);
}

struct emulation *emulation_new(struct arena *a, const struct target *target, const char **why)
{
	struct emulation *e = arena_one(a, struct emulation);
	const char *cc = arena_printf(a, "%s-linux-gnu-gcc", target->arch), *said;
	const char *const ask[] = {target->emulator, "--version", NULL};

	e->arena = a;
	if (workdir_open(a, &e->folder) < 0)
		die("%s", err_get());
	e->emulator = target->emulator;
	e->root = arena_printf(a, "/usr/%s-linux-gnu", target->arch);
	e->program = arena_printf(a, "%s/run", e->folder.path);
	const char *const compile[] = {
		cc, "-O1", "-D_GNU_SOURCE", "-I" TOP_SRCDIR, TOP_SRCDIR "/tests/property/emulated_main.c",
		TOP_SRCDIR "/codegen/callable.c", TOP_SRCDIR "/base/err.c", "-o", e->program, "-ldl",
		"-lm", NULL};

	*why = NULL;
	if (!run(a, compile, &said))
		*why = arena_printf(a, "%s builds nothing (Debian: gcc-aarch64-linux-gnu and "
				       "libc6-dev-arm64-cross): %.200s", cc, said);
	else if (!run(a, ask, &said))
		*why = arena_printf(a, "there is no %s (Debian: qemu-user)", target->emulator);
	if (!*why)
		return e;
	emulation_free(e);
	return NULL;
}

void emulation_free(struct emulation *e)
{
	workdir_close(&e->folder);
}

static void write_arguments(const struct schedule_sample *s, const char *path)
{
	FILE *f = fopen(path, "wb");

	for (int i = 0; f && i < s->nargs; i++) {
		/* constants as they are given, outputs poisoned */
		const struct guarded *g = program_pack(s->program, i) ? &s->raw[i] : &s->args[i];
		int64_t bytes = (int64_t)g->bytes;

		fwrite(&bytes, sizeof(bytes), 1, f);
		fwrite(g->data, 1, g->bytes, f);
	}
	if (!f || fclose(f) != 0)
		die("%s: cannot write arguments", path);
}

static bool read_arguments(const struct schedule_sample *s, const char *path)
{
	FILE *f = fopen(path, "rb");
	bool ok = f != NULL;

	for (int i = 0; ok && i < s->nargs; i++) {
		bool packed = program_pack(s->program, i);
		struct guarded *g = packed ? &s->raw[i] : &s->args[i];
		int64_t bytes;

		ok = fread(&bytes, sizeof(bytes), 1, f) == 1 && bytes == (int64_t)g->bytes &&
		     fread(g->data, 1, g->bytes, f) == g->bytes;
	}
	if (f)
		fclose(f);
	return ok;
}

bool emulation_run(void *user, struct schedule_sample *s, const char *object, int threads,
		   bool last_first)
{
	struct emulation *e = user;
	struct arena *a = e->arena;
	const char *args = arena_printf(a, "%s/args", e->folder.path), *said;
	const char *const argv[] = {e->emulator, "-L", e->root, e->program, object, args,
				    arena_printf(a, "%d", threads), last_first ? "1" : "0", NULL};

	write_arguments(s, args);
	if (!run(a, argv, &said)) {
		fprintf(stderr, "%s: %s\n", e->emulator, said);
		return false;
	}
	return read_arguments(s, args);
}
