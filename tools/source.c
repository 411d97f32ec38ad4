/* SPDX-License-Identifier: Apache-2.0 */
/* tools/source.c - models, .te files and operator specs as tasks. */
#include "tools/source.h"

#include "te/operator.h"

int source_tasks(struct arena *a, const char *source, struct task_vec *out)
{
	const struct dag *dag = source_dag(a, source);

	if (!dag)
		return -1;
	vec_push(a, out, task_new(a, dag, source, 1));
	return 0;
}
