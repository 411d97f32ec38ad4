/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/exported.c - compiles exported files, and has them verified. */
#include "search/trust/exported.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "base/workdir.h"
#include "codegen/callable.h"
#include "codegen/export.h"
#include "measure/build/pool.h"
#include "measure/runner/runner.h"
#include "measure/process/spawn.h"

/* As measure/build/builder.c has them: for a kernel as large as kernels get. */
#define COMPILER_LIMIT_S 60.0
#define COMPILER_MEMORY	 ((size_t)4 << 30)

/* Milliseconds of timing: one look is enough, for nobody reads it. */
#define TIMING_MS 0.1

enum { INPUT_SEED = 1 };

struct exported {
	struct arena *arena;
	struct build_pool *builder;
	struct runner *runner;
	const char *flags;
	struct workdir folder;
};

struct exported *exported_new(const struct target *target)
{
	struct build_pool_options build = { .target = target };
	struct runner_options run = { .race_factor = -1 };
	struct arena *a = arena_new();
	struct exported *e = arena_one(a, struct exported);

	e->arena = a;
	e->flags = export_flags(a, target);
	e->folder.lock = -1;
	e->builder = build_pool_new(&build);
	if (e->builder)
		e->runner = runner_new(&run);
	if (!e->runner || workdir_open(a, &e->folder) < 0) {
		exported_free(e);
		return NULL;
	}
	return e;
}

void exported_free(struct exported *e)
{
	if (!e)
		return;
	runner_free(e->runner);
	build_pool_free(e->builder);
	if (e->folder.path)
		workdir_close(&e->folder);
	arena_free(e->arena);
}

struct words VEC(const char *);

/* The runner's names for what SYMBOL is the name of: so the file need not be another one. */
static void add_names(struct arena *a, struct words *argv, const char *symbol)
{
	for (const char *const *part = callable_suffix; *part; part++)
		vec_push(a, argv, arena_printf(a, "-D%s%s=hone_kernel%s", symbol, *part, *part));
}

static const char *const *command(struct arena *a, const char *flags, const char *path, const char *symbol,
				  const char *object)
{
	struct words argv = { 0 };

	vec_push(a, &argv, "cc");
	for (const char *s = flags; *s;) {
		size_t n = strcspn(s, " ");

		vec_push(a, &argv, arena_strndup(a, s, n));
		s += n + (s[n] == ' ');
	}
	add_names(a, &argv, symbol);
	const char *const rest[] = { "-fPIC", "-shared", "-o", object, path, "-lm", NULL };

	for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
		vec_push(a, &argv, rest[i]);
	return argv.at;
}

/* As exported_check(). */
static int compile(const struct exported *e, struct arena *a, const char *path, const char *symbol,
		   const char *object, const char **why)
{
	static const char *const set[] = { "LC_ALL=C", NULL };
	const struct pool_limits limits = { .jobs = 1, .limit_s = COMPILER_LIMIT_S,
					    .memory = COMPILER_MEMORY };
	struct command_run run = { .argv = command(a, e->flags, path, symbol, object) };

	if (pool_run(a, &run, 1, &limits, spawn_env(a, set)) < 0)
		return -1;
	if (command_succeeded(&run))
		return 1;
	*why = run.timed_out ? arena_printf(a, "cc did not end within %g s", COMPILER_LIMIT_S)
			     : arena_printf(a, "cc does not compile it: %.300s",
					    run.output ? run.output : "");
	return 0;
}

int exported_check(struct exported *e, struct arena *a, const struct task *t, int threads,
		   const char *path, const char *symbol, const char **why)
{
	struct workload w = task_workload(a, t, threads, CACHE_WARM, INPUT_SEED);
	struct trial trial = {
		.object = arena_printf(a, "%s/%s.so", e->folder.path, symbol),
	};
	int rc = compile(e, a, path, symbol, trial.object, why);

	w.min_ms = w.max_ms = TIMING_MS;
	if (rc <= 0)
		return rc;
	if (task_reference(a, t, &w) < 0 ||
	    runner_set_workload(e->runner, e->builder, &w) != 0 ||
	    measure_all(a, e->runner, &trial, 1) < 0)
		return err_prefix("%s", t->name);
	trial_discard(&trial);
	if (trial.status == TRIAL_OK)
		return 1;
	*why = arena_printf(a, "%s: %s", trial_status_name(trial.status),
			    trial.text ? trial.text : "");
	return 0;
}
