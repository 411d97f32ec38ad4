/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/builder.c - turns trials into command lines for the pool. */
#include "measure/build/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/workdir.h"
#include "measure/build/join.h"
#include "measure/process/spawn.h"
#include "measure/build/toolchain.h"

#define DEFAULT_LIMIT_S 30.0
/* ENOSPC in the locale that compilers have here. */
#define DISK_IS_FULL "No space left on device"
/* Kernels that share a compiler: with 4 its start and the link are a fifth of the work, with 8 a tenth
 * (measure/build/builder.h); more make one run long, and one that fails costs its neighbours more. */
enum { MOST_TOGETHER = 8 };

struct build_pool {
	struct arena *arena;	/* lives as long as the builder */
	struct toolchain toolchain;
	struct pool_limits limits;
	const char *workdir;
	struct workdir own;	/* where the caller gave none */
	atomic_int made;	/* files so far: their names count up */
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
	return toolchain_find(b->arena, o->cc, o->target, o->flags, b->workdir, b->env,
			      &b->toolchain);
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
	struct build_pool_options choice = *o;
	char cross[64];

	if (!o->target)
		choice.target = target_here();
	snprintf(cross, sizeof(cross), "%s-linux-gnu-gcc", choice.target->arch ? choice.target->arch : "");
	if (target_is_foreign(choice.target) && !(o->cc && *o->cc))
		choice.cc = cross;
	if (choice.cc && *choice.cc)
		return builder_of(&choice);
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

void build_pool_share(struct build_pool *b, struct pool_room (*room)(void *user), void *user)
{
	b->limits.room = room;
	b->limits.user = user;
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

/* --- compilations */

/* One run of the compiler, and the trials whose texts it gets. */
struct compilation {
	struct trial *const *trials;
	int n;
	const char *source, *object;	/* files */
};

struct compilation_vec VEC(struct compilation);

/* One text of all trials of C. */
static int write_joined(const struct compilation *c)
{
	struct text all = { 0 };

	for (int i = 0; i < c->n; i++)
		join_kernel(&all, c->trials[i]->source, i);
	int rc = write_source(c->source, text_str(&all));

	text_free(&all);
	return rc;
}

/* Runs the compiler for each of ALL, whose files are then gone or objects. */
static int compile(struct arena *a, struct build_pool *b, const struct compilation_vec *all,
		   struct command_run *runs)
{
	int pid = (int)getpid(), rc = 0;	/* others may use the folder too */

	for (int i = 0; i < all->n && rc == 0; i++) {
		struct compilation *c = &all->at[i];

		int number = ++b->made;

		c->source = arena_printf(a, "%s/k%d-%d.c", b->workdir, pid, number);
		c->object = arena_printf(a, "%s/k%d-%d.so", b->workdir, pid, number);
		runs[i].argv = toolchain_command(a, &b->toolchain, c->source, c->object);
		rc = c->n > 1 ? write_joined(c) : write_source(c->source, c->trials[0]->source);
	}
	if (rc == 0)
		rc = pool_run(a, runs, all->n, &b->limits, b->env);
	for (int i = 0; i < all->n && all->at[i].source; i++)
		unlink(all->at[i].source);
	return rc;
}

/* -1 and a message where it is no fault of the source's that R failed. */
static int excuse(const struct build_pool *b, const struct command_run *r)
{
	if (!command_succeeded(r) && strstr(r->output, DISK_IS_FULL))
		return err_set("%s: the compiler cannot write there: %s (set TMPDIR)", b->workdir,
			       DISK_IS_FULL);
	return 0;
}

/* Why R, which compiled T alone, failed. */
static void tell_failure(struct arena *a, const struct build_pool *b, struct trial *t,
			 const struct command_run *r)
{
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

/* Each trial gets a name of its own for the object that they share, so that it can be discarded. */
static int hand_out(struct arena *a, const struct compilation *c, const struct command_run *r)
{
	for (int i = 0; i < c->n; i++) {
		struct trial *t = c->trials[i];
		const char *name = c->n == 1 ? arena_strdup(a, c->object)
					     : arena_printf(a, "%s.%d", c->object, i);

		if (c->n > 1 && link(c->object, name) < 0)
			return err_set("%s: cannot be linked: %s (set TMPDIR)", name,
				       strerror(errno));
		t->object = name;
		t->symbol = c->n > 1 ? join_symbol(a, i) : NULL;
		t->build_ms += r->ms / c->n;
	}
	if (c->n > 1)
		unlink(c->object);
	return 0;
}

static int conclude(struct arena *a, const struct build_pool *b, const struct compilation *c,
		    const struct command_run *r)
{
	if (command_succeeded(r))
		return hand_out(a, c, r);
	if (excuse(b, r) < 0)
		return -1;
	for (int i = 0; i < c->n; i++)
		c->trials[i]->build_ms += r->ms / c->n;
	if (c->n == 1)
		tell_failure(a, b, c->trials[0], r);
	return 0;
}

static int longest_first(const void *a, const void *b)
{
	const struct trial *const *x = a, *const *y = b;
	size_t n = strlen((*x)->source), m = strlen((*y)->source);

	return (n < m) - (n > m);
}

/* Orders the N trials of LIST so that runs of TOGETHER are about as long: a compiler's time grows with the text. */
static void even_out(struct arena *scratch, struct trial **list, int n, int together)
{
	struct trial **sorted = arena_memdup(scratch, list, (size_t)n * sizeof(*list));
	int runs = (n + together - 1) / together, k = 0;

	qsort(sorted, (size_t)n, sizeof(*sorted), longest_first);
	for (int run = 0; run < runs; run++)
		for (int i = run; i < n; i += runs)
			list[k++] = sorted[i];
}

/* Compiles the PENDING trials without an object, TOGETHER in a run of the compiler. */
static int build(struct arena *a, struct build_pool *b, struct trial *trials, int n, int together)
{
	struct arena *scratch = arena_new();
	struct trial **todo = arena_many(scratch, struct trial *, n);
	struct compilation_vec all = { 0 };
	int pending = 0, rc;

	for (int i = 0; i < n; i++)
		if (trials[i].status == TRIAL_PENDING && !trials[i].object)
			todo[pending++] = &trials[i];
	int count = (pending + together - 1) / together;

	even_out(scratch, todo, pending, together);
	for (int i = 0, at = 0; i < count; i++) {
		int share = (pending - i + count - 1) / count;	/* as even_out() dealt them */

		vec_push(scratch, &all, (struct compilation){ .trials = todo + at, .n = share });
		at += share;
	}
	struct command_run *runs = arena_many(scratch, struct command_run, all.n);

	rc = compile(scratch, b, &all, runs);
	for (int i = 0; i < all.n && rc == 0; i++)
		rc = conclude(a, b, &all.at[i], &runs[i]);
	for (int i = 0; i < pending && rc < 0; i++)
		trial_discard(todo[i]);
	arena_free(scratch);
	return rc;
}

int build_all(struct arena *a, struct build_pool *b, struct trial *trials, int n)
{
	return build(a, b, trials, n, 1);
}

int build_alike(struct arena *a, struct build_pool *b, struct trial *trials, int n, int *built)
{
	bool same = true;

	for (int i = 1; i < n; i++)
		same = same && strcmp(trials[i].source, trials[0].source) == 0;
	*built = same ? 1 : n;
	return build_all(a, b, trials, *built);
}

/* So that each compiler at once has two runs to make: one that is done early does not wait long. */
static int share_of(const struct build_pool *b, int n)
{
	int share = n / (2 * b->limits.jobs);

	return share < 1 ? 1 : share > MOST_TOGETHER ? MOST_TOGETHER : share;
}

int build_together(struct arena *a, struct build_pool *b, struct trial *trials, int n)
{
	int share = share_of(b, n);

	if (share > 1 && build(a, b, trials, n, share) < 0)
		return -1;
	return build_all(a, b, trials, n);	/* what failed among others, alone */
}
