/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/toolchain.c - tries a compiler: its version, and which of the flags it takes. */
#include "measure/build/toolchain.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "measure/build/pool.h"

#define PROBE_LIMIT_S 60.0

/* Candidates are written with vectors and unrolled already: looking for more costs time only. Bit
 * tracking (gcc's bit-ccp) takes half of the compilation where there are hundreds of vectors. Functions
 * begin on a cache line, so that a kernel's loops lie in it alike, alone or behind others in an object. */
static const char *const base_flags[] = {
	"-std=gnu11", "-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math",
	"-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-unroll-loops",
	"-fPIC", "-shared", "-pipe", "-w",
};

/* Of every kernel, where the compiler takes them. With -O1 in the place of -O2 and without loop strength reduction
 * clang takes half of the time for derived kernels, and what it makes is as fast; with one look at each instruction by
 * its combiner, as later versions have it by default, a fourteenth less, and it makes the same (docs/performance.md,
 * "Time to compile is time to search"). gcc, which refuses -mllvm, keeps -O2. */
static const char *const more_flags[] = {
	"-fopenmp-simd", "-fno-tree-bit-ccp", "-falign-functions=64", "-O1 -mllvm -disable-lsr",
	"-mllvm -instcombine-max-iterations=1",
};

/* measure/build/builder.h has the figures. */
static const char *const link_flags[] = { "-nostdlib", "-lm", "-lgcc" };

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A toolchain that is asked. */
struct asking {
	struct arena *arena;
	struct toolchain *to;
	const char *folder;
	char **env;
};

static void add_all(struct arena *a, struct strings *to, const char *const *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(a, to, from[i]);
}

static void add_strings(struct arena *a, struct strings *to, const struct strings *from)
{
	for (int i = 0; i < from->n; i++)
		vec_push(a, to, from->at[i]);
}

static void split_flags(struct arena *a, struct strings *to, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, " \t\n");

		if (n)
			vec_push(a, to, arena_strndup(a, text, n));
		text += n + strspn(text + n, " \t\n");
	}
}

const char *const *toolchain_command(struct arena *a, const struct toolchain *t, const char *from,
				     const char *to)
{
	struct strings v = { 0 };

	vec_push(a, &v, t->cc);
	add_strings(a, &v, &t->flags);
	add_strings(a, &v, &t->user);
	vec_push(a, &v, from);
	add_strings(a, &v, &t->link);
	vec_push(a, &v, "-o");
	vec_push(a, &v, to);
	vec_push(a, &v, NULL);
	return v.at;
}

/* Runs one command; true where it ended well. */
static bool probe(const struct asking *q, const char *const *argv, const char **output)
{
	struct command_run run = { .argv = argv };
	struct pool_limits limits = { .jobs = 1, .limit_s = PROBE_LIMIT_S,
				     .memory = COMPILER_MEMORY };

	if (pool_run(q->arena, &run, 1, &limits, q->env) < 0)
		return false;
	if (output)
		*output = run.output;
	return command_succeeded(&run);
}

/* Whether probe.c compiles and links with the flags as they are. */
static bool probe_build(const struct asking *q, const char **output)
{
	const char *from = arena_printf(q->arena, "%s/probe.c", q->folder);
	const char *to = arena_printf(q->arena, "%s/probe.so", q->folder);
	bool ok = probe(q, toolchain_command(q->arena, q->to, from, to), output) &&
		  access(to, R_OK) == 0;

	unlink(to);
	return ok;
}

/* Keeps FLAG, one word or several, where probe.c builds with it. */
static bool try_flag(const struct asking *q, const char *flag)
{
	int before = q->to->flags.n;

	split_flags(q->arena, &q->to->flags, flag);
	if (probe_build(q, NULL))
		return true;
	q->to->flags.n = before;
	return false;
}

static int write_probe(const struct asking *q, const char *source)
{
	return file_write(arena_printf(q->arena, "%s/probe.c", q->folder), source, strlen(source));
}

/* What makes code of T; NULL: nothing does, it is what the compiler makes by itself. */
static const char *march_of(const struct target *t)
{
	return target_is_own(t) ? "-march=native" : t->march;
}

/* Code of another target is no good where it was asked for; what is the machine's own may have no name. */
static int try_march(const struct asking *q)
{
	const struct target *t = q->to->target;
	const char *march = march_of(t);

	if (!march || try_flag(q, march))
		return 0;
	if (target_is_own(t)) {
		try_flag(q, "-mcpu=native");	/* Debian's clang for Arm knows this only */
		return 0;
	}
	return err_set("%s: does not take %s, which makes code of the target %s (--cc chooses another "
		       "compiler)", q->to->cc, march, t->name);
}

/* One flag after the other, for a compiler that does not take all of them. */
static int probe_each(const struct asking *q)
{
	const char *output = "";

	q->to->flags.n = (int)ARRAY_SIZE(base_flags);
	q->to->link.n = 0;
	if (!probe_build(q, &output))
		return err_set("%s: cannot build a shared object: %.500s (check the compiler and "
			       "its flags; --cc chooses another)", q->to->cc, output);
	if (try_march(q) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(more_flags); i++)
		try_flag(q, more_flags[i]);
	add_all(q->arena, &q->to->link, link_flags, ARRAY_SIZE(link_flags));
	if (!probe_build(q, NULL)) {
		q->to->link.n = 0;
		vec_push(q->arena, &q->to->link, "-lm");
	}
	return 0;
}

/* Which of the flags it takes: two compilations at most where all is well. */
static int probe_flags(const struct asking *q)
{
	int rc = write_probe(q, "int probe(void *const *a) { return a == 0; }\n");

	if (rc == 0 && !probe_build(q, NULL))
		rc = probe_each(q);
	if (rc == 0 && q->to->target->tuning)
		try_flag(q, q->to->target->tuning);
	unlink(arena_printf(q->arena, "%s/probe.c", q->folder));
	return rc;
}

static int probe_version(const struct asking *q)
{
	const char *const argv[] = { q->to->cc, "--version", NULL };
	const char *output = "";

	if (!probe(q, argv, &output) || !*output)
		return err_set("%s: cannot run the compiler (install it, or choose another with "
			       "--cc)", q->to->cc);
	q->to->text = arena_strndup(q->arena, output, strcspn(output, "\n"));
	return 0;
}

/* The version line says "clang" by itself, gcc's says how it was called; the flags follow. */
static void describe(const struct asking *q)
{
	struct text t = { 0 };

	text_puts(&t, q->to->text);
	for (int i = 0; i < q->to->flags.n; i++)
		text_printf(&t, " %s", q->to->flags.at[i]);
	for (int i = 0; i < q->to->user.n; i++)
		text_printf(&t, " %s", q->to->user.at[i]);
	if (!target_is_own(q->to->target))
		text_printf(&t, TARGET_MARK "%s", q->to->target->name);
	q->to->text = arena_strdup(q->arena, text_str(&t));
	text_free(&t);
}

const char *toolchain_mark(const char *text)
{
	const char *mark = strstr(text, TARGET_MARK);

	return mark ? mark + strlen(TARGET_MARK) : "";
}

int toolchain_find(struct arena *a, const char *cc, const struct target *target, const char *user,
		   const char *folder, char **env, struct toolchain *out)
{
	const struct asking q = { a, out, folder, env };

	*out = (struct toolchain){ .cc = arena_strdup(a, cc), .target = target };
	add_all(a, &out->flags, base_flags, ARRAY_SIZE(base_flags));
	if (march_of(target))
		vec_push(a, &out->flags, march_of(target));
	add_all(a, &out->flags, more_flags, ARRAY_SIZE(more_flags));
	add_all(a, &out->link, link_flags, ARRAY_SIZE(link_flags));
	split_flags(a, &out->user, user);
	const char *place = toolchain_place(a, out);

	if (place && toolchain_recall(a, place, out))
		return 0;
	if (probe_version(&q) < 0 || probe_flags(&q) < 0)
		return -1;
	describe(&q);
	if (place)
		toolchain_keep(place, out);
	return 0;
}
