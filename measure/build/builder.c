/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/builder.c - turns trials into command lines for the pool. */
#include "measure/build/builder.h"

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
#include "base/workdir.h"
#include "measure/build/pool.h"
#include "measure/process/spawn.h"
#include "measure/build/toolchain.h"

#define DEFAULT_LIMIT_S 30.0
/* ENOSPC in the locale that compilers have here. */
#define DISK_IS_FULL "No space left on device"

struct build_pool {
	struct arena *arena;	/* lives as long as the builder */
	struct toolchain toolchain;
	struct pool_limits limits;
	const char *workdir;
	struct workdir own;	/* where the caller gave none */
	int made;		/* files so far: their names count up */
	char **env;
};

static int cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);
}

static int prepare(struct build_pool *b, const struct build_pool_options *o)
{
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
	return toolchain_find(b->arena, o->cc, o->flags, b->workdir, b->env, &b->toolchain);
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
	return b->toolchain.text;
}

const char *build_pool_cc(const struct build_pool *b)
{
	return b->toolchain.cc;
}

const char *build_pool_flags(struct arena *a, const struct build_pool *b)
{
	const struct toolchain *t = &b->toolchain;
	struct text out = { 0 };

	for (int i = 0; i < t->flags.n; i++)
		text_printf(&out, "%s%s", i ? " " : "", t->flags.at[i]);
	for (int i = 0; i < t->user.n; i++)
		text_printf(&out, " %s", t->user.at[i]);
	const char *flags = arena_strdup(a, text_str(&out));

	text_free(&out);
	return flags;
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

/* 0, or -1 and a message where it is no fault of the source's. */
static int conclude(struct arena *a, struct build_pool *b, struct trial *t,
		    const struct command_run *r)
{
	t->build_ms = r->ms;
	if (command_succeeded(r))
		return 0;
	if (strstr(r->output, DISK_IS_FULL))
		return err_set("%s: the compiler cannot write there: %s (set TMPDIR)", b->workdir,
			       DISK_IS_FULL);
	t->object = NULL;
	if (r->timed_out) {
		t->status = TRIAL_BUILD_TIMEOUT;
		t->text = arena_printf(a, "the compiler did not end within %g s",
				       b->limits.limit_s);
		return 0;
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
	return 0;
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
		runs[todo].argv = toolchain_command(scratch, &b->toolchain, sources[todo], t->object);
		built[todo] = t;
		rc = write_source(sources[todo++], t->source);
	}
	if (rc == 0)
		rc = pool_run(scratch, runs, todo, &b->limits, b->env);
	for (int i = 0; i < todo; i++) {
		unlink(sources[i]);
		if (rc == 0)
			rc = conclude(a, b, built[i], &runs[i]);
	}
	for (int i = 0; i < todo && rc < 0; i++)
		trial_discard(built[i]);
	arena_free(scratch);
	return rc;
}
