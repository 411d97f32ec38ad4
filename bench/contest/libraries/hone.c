/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/hone.c - our kernel, `kernel.so` of the task's folder, as a contestant.
 *
 * Constants are packed before, by the kernel's own function, as whoever uses it does once. */
#include "config.h"

#include <stdlib.h>

#include "base/err.h"
#include "bench/contest/contestant.h"
#include "runtime/kernel/kernel.h"
#include "te/eval.h"

struct ours {
	struct kernel kernel;
	const struct contestant_task *task;
	void **args;   /* what the kernel is called with */
	void **packed; /* by argument; NULL where it is read as it is */
	void *workspace;
};

static const char *version(struct arena *a)
{
	(void)a;
	return "hone " PACKAGE_VERSION;
}

static void release(void *handle)
{
	struct ours *o = handle;

	for (int i = 0; i < dag_arg_count(o->task->dag); i++)
		free(o->packed[i]);
	free(o->workspace);
}

static int run(void *handle)
{
	const struct ours *o = handle;

	kernel_run(&o->kernel, o->args, o->workspace);
	return 0;
}

static void *prepare(struct arena *a, const struct contestant_task *t, const char **why)
{
	struct ours *o = arena_one(a, struct ours);
	int n = dag_arg_count(t->dag);

	if (kernel_load(&o->kernel, arena_printf(a, "%s/kernel.so", t->dir), t->threads) < 0) {
		*why = arena_strdup(a, err_get());
		return NULL;
	}
	o->task = t;
	o->workspace = kernel_buffer(o->kernel.workspace_bytes);
	o->args = arena_memdup(a, t->args, sizeof(*o->args) * (size_t)n);
	o->packed = arena_many(a, void *, n);
	for (int i = 0; i < t->dag->ops.n; i++) {
		const struct op *op = t->dag->ops.at[i];
		int arg = dag_arg(t->dag, op);

		if (op->kind == OP_COMPUTE)
			continue;
		o->packed[arg] = kernel_packed(&o->kernel, arg, t->args[arg]);
		if (o->packed[arg])
			o->args[arg] = o->packed[arg];
	}
	return o;
}

static const struct contestant_entry entries[] = {
	{"kernel", "constants packed before, as an exported kernel's user does once"},
	{NULL, NULL},
};

const struct contestant contestant = {
	.name = "hone",
	.entries = entries,
	.version = version,
	.prepare = prepare,
	.run = run,
	.release = release,
};
