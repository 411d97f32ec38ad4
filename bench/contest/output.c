/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/output.c - a file of outputs, one behind the other, against the reference. */
#include "bench/contest/output.h"

#include "base/err.h"
#include "base/file.h"
#include "te/eval.h"

const char *output_fault(struct arena *a, const struct dag *d, const struct reference *r,
			 const char *file)
{
	void **args = reference_args(a, r, INPUTS_RANDOM);
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
	return reference_check(a, r, INPUTS_RANDOM, args);
}
