/* SPDX-License-Identifier: Apache-2.0 */
/* measure/builder.c - probes a compiler once, then turns trials into command lines for the pool. */
#include "measure/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/workdir.h"
#include "measure/pool.h"
#include "measure/spawn.h"

/* Of a compiler's address space: enough for the largest sane kernel, not for a runaway one. */
#define COMPILER_MEMORY ((size_t)4 << 30)
#define DEFAULT_LIMIT_S 30.0
#define PROBE_LIMIT_S	60.0

struct strings VEC(const char *);

struct build_pool {
	struct arena *arena;	/* lives as long as the builder */
	const char *cc;
	struct strings flags;	/* of every compilation */
	struct strings link;	/* behind the file */
	struct strings user;	/* the caller's, last */
	struct pool_limits limits;
	const char *workdir;
	struct workdir own;	/* where the caller gave none */
	int made;		/* files so far: their names count up */
	const char *toolchain;
	char **env;
};

/* Candidates are written with vectors and unrolled already: looking for more costs time only. Bit
 * tracking (gcc's bit-ccp) takes half of the compilation where there are hundreds of vectors. */
static const char *const base_flags[] = {
	"-std=gnu11", "-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math",
	"-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-unroll-loops",
	"-fPIC", "-shared", "-pipe", "-w",
};

/* Of every kernel, where the compiler takes them; the first has another name on some machines. */
static const char *const native_flags[] = {
	"-march=native", "-fopenmp-simd", "-fno-tree-bit-ccp",
};

/* measure/builder.h has the figures. */
static const char *const link_flags[] = { "-nostdlib", "-lm", "-lgcc" };

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

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

static const char *const *command(struct arena *a, const struct build_pool *b, const char *from,
				  const char *to)
{
	struct strings v = { 0 };

	vec_push(a, &v, b->cc);
	add_strings(a, &v, &b->flags);
	add_strings(a, &v, &b->user);
	vec_push(a, &v, from);
	add_strings(a, &v, &b->link);
	vec_push(a, &v, "-o");
	vec_push(a, &v, to);
	vec_push(a, &v, NULL);
	return v.at;
}

/* Runs one command of the set-up; true where it ended well. */
static bool probe(struct build_pool *b, const char *const *argv, const char **output)
{
	struct command_run run = { .argv = argv };
	struct pool_limits limits = { .jobs = 1, .limit_s = PROBE_LIMIT_S,
				     .memory = COMPILER_MEMORY };

	if (pool_run(b->arena, &run, 1, &limits, b->env) < 0)
		return false;
	if (output)
		*output = run.output;
	return command_succeeded(&run);
}

/* Whether probe.c compiles and links with the flags as they are. */
static bool probe_build(struct build_pool *b, const char **output)
{
	const char *from = arena_printf(b->arena, "%s/probe.c", b->workdir);
	const char *to = arena_printf(b->arena, "%s/probe.so", b->workdir);
	bool ok = probe(b, command(b->arena, b, from, to), output) &&
		  access(to, R_OK) == 0;

	unlink(to);
	return ok;
}

/* Keeps FLAG where probe.c builds with it. */
static bool try_flag(struct build_pool *b, const char *flag)
{
	vec_push(b->arena, &b->flags, flag);
	if (probe_build(b, NULL))
		return true;
	b->flags.n--;
	return false;
}

static int write_probe(const struct build_pool *b, const char *source)
{
	return file_write(arena_printf(b->arena, "%s/probe.c", b->workdir), source, strlen(source));
}

/* One flag after the other, for a compiler that does not take all of them. */
static int probe_each(struct build_pool *b)
{
	const char *output = "";

	b->flags.n -= (int)ARRAY_SIZE(native_flags);
	b->link.n = 0;
	if (!probe_build(b, &output))
		return err_set("%s: cannot build a shared object: %.500s (check the compiler and "
			       "its flags; --cc chooses another)", b->cc, output);
	for (size_t i = 0; i < ARRAY_SIZE(native_flags); i++)
		if (!try_flag(b, native_flags[i]) && i == 0)
			try_flag(b, "-mcpu=native");	/* Debian's clang for Arm knows this only */
	add_all(b->arena, &b->link, link_flags, ARRAY_SIZE(link_flags));
	if (!probe_build(b, NULL)) {
		b->link.n = 0;
		vec_push(b->arena, &b->link, "-lm");
	}
	return 0;
}

/* The flags that depend on the compiler and the machine: two compilations where all is well. */
static int probe_flags(struct build_pool *b)
{
	int rc = write_probe(b, "int probe(void *const *a) { return a == 0; }\n");

	add_all(b->arena, &b->flags, native_flags, ARRAY_SIZE(native_flags));
	add_all(b->arena, &b->link, link_flags, ARRAY_SIZE(link_flags));
	if (rc == 0 && !probe_build(b, NULL))
		rc = probe_each(b);
	/* Compilers for AVX-512 prefer half its width, out of regard for the clock of old ones. */
	if (rc == 0)
		rc = write_probe(b, "#ifndef __AVX512F__\n#error\n#endif\n");
	if (rc == 0)
		try_flag(b, "-mprefer-vector-width=512");
	unlink(arena_printf(b->arena, "%s/probe.c", b->workdir));
	return rc;
}

static int probe_version(struct build_pool *b)
{
	const char *const argv[] = { b->cc, "--version", NULL };
	const char *output = "";

	if (!probe(b, argv, &output) || !*output)
		return err_set("%s: cannot run the compiler (install it, or choose another with "
			       "--cc)", b->cc);
	b->toolchain = arena_strndup(b->arena, output, strcspn(output, "\n"));
	return 0;
}

/* The version line says "clang" by itself, gcc's says how it was called; the flags follow. */
static void describe(struct build_pool *b)
{
	struct text t = { 0 };

	text_puts(&t, b->toolchain);
	for (int i = 0; i < b->flags.n; i++)
		text_printf(&t, " %s", b->flags.at[i]);
	for (int i = 0; i < b->user.n; i++)
		text_printf(&t, " %s", b->user.at[i]);
	b->toolchain = arena_strdup(b->arena, text_str(&t));
	text_free(&t);
}

static int cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);
}

static int prepare(struct build_pool *b, const struct build_pool_options *o)
{
	b->cc = arena_strdup(b->arena, o->cc);
	b->limits = (struct pool_limits){
		.jobs = o->jobs > 0 ? o->jobs : cores(),
		.limit_s = o->limit_s > 0 ? o->limit_s : DEFAULT_LIMIT_S,
		.memory = COMPILER_MEMORY,
	};
	if (!o->workdir && workdir_open(b->arena, &b->own) < 0)
		return -1;
	b->workdir = o->workdir ? arena_strdup(b->arena, o->workdir) : b->own.path;
	if (dir_make(b->workdir) < 0)
		return -1;
	/* Compilers leave temporary files where they are killed; English for people who search
	 * for the message. */
	const char *const set[] = { arena_printf(b->arena, "TMPDIR=%s", b->workdir), "LC_ALL=C",
				    NULL };

	b->env = spawn_env(b->arena, set);
	add_all(b->arena, &b->flags, base_flags, ARRAY_SIZE(base_flags));
	split_flags(b->arena, &b->user, o->flags);
	if (probe_version(b) < 0 || probe_flags(b) < 0)
		return -1;
	describe(b);
	return 0;
}

static struct build_pool *builder_of(const struct build_pool_options *o)
{
	struct arena *a = arena_new();
	struct build_pool *b = arena_one(a, struct build_pool);

	b->arena = a;
	if (prepare(b, o) < 0) {
		build_pool_free(b);
		return NULL;
	}
	return b;
}

struct build_pool *build_pool_new(const struct build_pool_options *o)
{
	if (o->cc && *o->cc)
		return builder_of(o);
	struct build_pool_options choice = *o;
	struct build_pool *b;

	choice.cc = "clang";	/* compiles these kernels three times faster than gcc */
	b = builder_of(&choice);
	if (b)
		return b;
	choice.cc = "gcc";
	return builder_of(&choice);
}

void build_pool_free(struct build_pool *b)
{
	if (!b)
		return;
	workdir_close(&b->own);
	arena_free(b->arena);
}

const char *build_pool_toolchain(const struct build_pool *b)
{
	return b->toolchain;
}

const char *build_pool_cc(const struct build_pool *b)
{
	return b->cc;
}

/* A file in the work folder, written in place: nobody reads it before the compiler does. */
static int write_source(const char *path, const char *source)
{
	size_t n = strlen(source);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_set("%s: cannot write a kernel: %s (set TMPDIR)", path, strerror(errno));
	while (n > 0) {
		ssize_t put = write(fd, source, n);

		if (put < 0 && errno != EINTR) {
			err_set("%s: cannot write a kernel: %s (set TMPDIR)", path,
				strerror(errno));
			close(fd);
			return -1;
		}
		source += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	close(fd);
	return 0;
}

static void conclude(struct arena *a, struct build_pool *b, struct trial *t,
		     const struct command_run *r)
{
	t->build_ms = r->ms;
	if (command_succeeded(r))
		return;
	t->object = NULL;
	if (r->timed_out) {
		t->status = TRIAL_BUILD_TIMEOUT;
		t->text = arena_printf(a, "the compiler did not end within %g s",
				       b->limits.limit_s);
		return;
	}
	t->status = TRIAL_BUILD_ERROR;
	if (WIFSIGNALED(r->status))
		t->text = arena_printf(a, "the compiler ended by signal %d (%s)\n%s",
				       WTERMSIG(r->status), strsignal(WTERMSIG(r->status)),
				       r->output);
	else
		t->text = *r->output ? arena_strdup(a, r->output)
				     : arena_printf(a, "the compiler ended with status %d",
						    WEXITSTATUS(r->status));
}

int build_all(struct arena *a, struct build_pool *b, struct trial *trials, int n)
{
	struct arena *scratch = arena_new();
	struct command_run *runs = arena_many(scratch, struct command_run, n);
	const char **sources = arena_many(scratch, const char *, n);
	struct trial **built = arena_many(scratch, struct trial *, n);
	int todo = 0, rc = 0, pid = (int)getpid();	/* others may use the folder too */

	for (int i = 0; i < n && rc == 0; i++) {
		struct trial *t = &trials[i];

		if (t->status != TRIAL_PENDING || t->object)
			continue;
		sources[todo] = arena_printf(scratch, "%s/k%d-%d.c", b->workdir, pid, ++b->made);
		t->object = arena_printf(a, "%s/k%d-%d.so", b->workdir, pid, b->made);
		runs[todo].argv = command(scratch, b, sources[todo], t->object);
		built[todo] = t;
		rc = write_source(sources[todo++], t->source);
	}
	if (rc == 0)
		rc = pool_run(scratch, runs, todo, &b->limits, b->env);
	for (int i = 0; i < todo; i++) {
		unlink(sources[i]);
		if (rc == 0)
			conclude(a, b, built[i], &runs[i]);
		else
			trial_discard(built[i]);
	}
	arena_free(scratch);
	return rc;
}
