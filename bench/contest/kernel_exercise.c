/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/kernel_exercise.c - a task's folder, and its outputs against the reference. */
#include "bench/contest/kernel_exercise.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "bench/contest/referee/folder.h"
#include "te/eval.h"

static int write_folder(void *user, const char *folder)
{
	const struct kernel_exercise *k = user;
	struct arena *a = arena_new();
	const char *link = arena_printf(a, "%s/kernel.so", folder);
	int rc = folder_write(folder, k->task, reference_args(a, k->reference, INPUTS_RANDOM));

	if (rc == 0 && symlink(k->kernel, link) < 0)
		rc = err_set("%s: cannot make a link: %s", link, strerror(errno));
	arena_free(a);
	return rc;
}

/* FILE has the outputs one behind the other. */
static const char *fault(void *user, struct arena *a, const char *file)
{
	const struct kernel_exercise *k = user;
	const struct dag *d = k->task->dag;
	void **args = reference_args(a, k->reference, INPUTS_RANDOM);
	size_t want = 0, size;

	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind == OP_COMPUTE && d->ops.at[i]->output)
			want += tensor_bytes(&d->ops.at[i]->tensor);
	const char *got = file_read(a, file, want, &size);

	if (!got)
		return arena_strdup(a, err_get());
	if (size != want)
		return arena_printf(a, "it wrote %zu bytes, the outputs have %zu", size, want);
	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE || !op->output)
			continue;
		memcpy(args[dag_arg(d, op)], got, tensor_bytes(&op->tensor));
		got += tensor_bytes(&op->tensor);
	}
	return reference_check(a, k->reference, INPUTS_RANDOM, args);
}

struct exercise kernel_exercise(struct kernel_exercise *k)
{
	return (struct exercise){.write = write_folder, .fault = fault, .user = k};
}
