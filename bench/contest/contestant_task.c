/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/contestant_task.c - a DAG, its inputs, and room for its outputs. */
#include "bench/contest/contestant_task.h"

#include "base/err.h"
#include "base/file.h"
#include "te/eval.h"
#include "te/text/text.h"

enum { ARG_ALIGN = 64 };

/* Of a task's text: far more than any operator has. */
#define TEXT_LIMIT ((size_t)64 << 20)

static int read_arg(struct arena *a, const char *dir, int i, size_t bytes, void *to)
{
	const char *path = arena_printf(a, "%s/arg%d.bin", dir, i);
	struct arena *scratch = arena_new();
	size_t size = 0;
	const char *data = file_read(scratch, path, bytes, &size);
	int rc = data ? 0 : -1;

	if (data && size != bytes)
		rc = err_set("%s has %zu bytes, the task wants %zu", path, size, bytes);
	if (rc == 0)
		memcpy(to, data, bytes);
	arena_free(scratch);
	return rc;
}

int contestant_task_read(struct arena *a, const char *dir, struct contestant_task *out)
{
	const char *path = arena_printf(a, "%s/task.te", dir);
	size_t size;
	const char *text = file_read(a, path, TEXT_LIMIT, &size);
	const struct dag *d = text ? dag_parse(a, path, text) : NULL;

	if (!d)
		return -1;
	void **args = arena_many(a, void *, dag_arg_count(d));

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];
		int arg = dag_arg(d, op);

		if (arg < 0)
			continue;
		args[arg] = arena_aligned(a, tensor_bytes(&op->tensor), ARG_ALIGN);
		if (op->kind != OP_COMPUTE &&
		    read_arg(a, dir, arg, tensor_bytes(&op->tensor), args[arg]) < 0)
			return -1;
	}
	*out = (struct contestant_task){.dag = d, .args = args, .dir = arena_strdup(a, dir)};
	out->work = recognize(a, d, &out->why);
	return 0;
}

size_t contestant_output_bytes(const struct dag *d)
{
	size_t bytes = 0;

	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind == OP_COMPUTE && d->ops.at[i]->output)
			bytes += tensor_bytes(&d->ops.at[i]->tensor);
	return bytes;
}
