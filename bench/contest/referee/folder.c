/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/folder.c - a task, its data, and its model where it has one. */
#include "bench/contest/referee/folder.h"

#include "base/file.h"
#include "bench/contest/libraries/onnx_operator.h"
#include "bench/contest/libraries/onnx_write.h"
#include "te/eval.h"

const unsigned char *folder_model(struct arena *a, const char *name, const struct dag *d, void *const *args, size_t *size,
				  const char **why)
{
	const struct work *w = recognize(a, d, why);

	return w ? onnx_write(a, d, w, args, size, why) : onnx_write_operator(a, name, d, args, size, why);
}

static int write_model(struct arena *a, const char *path, const struct task *t, void *const *args)
{
	const char *why = "";
	size_t size;
	const unsigned char *model = folder_model(a, t->name, t->dag, args, &size, &why);

	if (model)
		return file_write(arena_printf(a, "%s/model.onnx", path), model, size);
	return file_write(arena_printf(a, "%s/model.why", path), why, strlen(why));
}

static int write_args(struct arena *a, const char *path, const struct dag *d, void *const *args)
{
	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];
		int arg = dag_arg(d, op);

		if (op->kind != OP_COMPUTE && file_write(arena_printf(a, "%s/arg%d.bin", path, arg),
							 args[arg], tensor_bytes(&op->tensor)) < 0)
			return -1;
	}
	return 0;
}

int folder_write(const char *path, const struct task *t, void *const *args)
{
	struct arena *a = arena_new();
	int rc = file_write(arena_printf(a, "%s/task.te", path), t->text, strlen(t->text));

	if (rc == 0)
		rc = write_args(a, path, t->dag, args);
	if (rc == 0)
		rc = write_model(a, path, t, args);
	arena_free(a);
	return rc;
}
