/* SPDX-License-Identifier: Apache-2.0 */
/* tools/source.c - models, lists, .te files and operator specs as tasks. */
#include "tools/source.h"

#include <unistd.h>

#include "base/err.h"
#include "graph/infer.h"
#include "graph/onnx.h"
#include "graph/task.h"
#include "te/operator.h"
#include "tools/list.h"

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* Those tasks of a model that can be tuned. */
static int model_tasks(struct arena *a, const char *path, struct task_vec *out)
{
	struct graph *g = onnx_read(a, path);

	if (!g || graph_infer(g) < 0)
		return -1;
	struct model_task_vec tasks = graph_tasks(a, g, graph_group(a, g));

	for (int i = 0; i < tasks.n; i++) {
		const struct model_task *m = &tasks.at[i];

		if (!m->dag)
			continue;
		struct task *t = task_new(a, m->dag, arena_printf(a, "%s:%s", m->op, m->shape),
					  m->weight);

		t->op = m->op;
		t->shape = m->shape;
		vec_push(a, out, t);
	}
	if (out->n == 0)
		return err_set("%s: has no operator that can be tuned; hone tasks lists why", path);
	return 0;
}

int source_tasks(struct arena *a, const char *source, struct task_vec *out)
{
	if (ends_with(source, ".onnx"))
		return model_tasks(a, source, out);
	if (ends_with(source, ".tasks"))
		return list_tasks(a, source, out);
	if (!ends_with(source, ".te") && !strchr(source, ':') &&
	    (!*source || strchr(source, '/') || access(source, F_OK) == 0))
		return err_set("'%s': a SOURCE is a model (*.onnx), an operator in text form "
			       "(*.te), one of the library (`hone ops` lists them) or a list of "
			       "them (*.tasks)", source);
	const struct dag *dag = source_dag(a, source);

	if (!dag)
		return -1;
	vec_push(a, out, task_new(a, dag, source, 1));
	return 0;
}
