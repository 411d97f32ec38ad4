/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/sequence.c - from tasks back to the applications of main, in order. */
#include "graph/task/cut.h"
#include "graph/task/task.h"
#include "te/eval.h"

/* What VALUE is a view of, itself where it is none. */
static int origin(const struct function *f, int value)
{
	while (binding_is_view(function_at(f, value)) && !function_const(f, value))
		value = function_at(f, value)->args[0];
	return value;
}

static struct occurrence occurrence_of(struct arena *a, const struct function *f, int task,
				       const struct dag *dag, const struct model_use *use)
{
	struct occurrence o = { .task = task };

	for (int i = 0; i < use->inputs.n; i++) {
		int value = origin(f, use->inputs.at[i]);

		vec_push(a, &o.args, function_const(f, value) ? VALUE_NONE : value);
	}
	vec_push(a, &o.args, use->value);
	while (o.args.n < dag_arg_count(dag))
		vec_push(a, &o.args, VALUE_NONE);
	return o;
}

struct occurrence_vec graph_sequence(struct arena *a, const struct graph *g,
				     const struct model_task_vec *tasks)
{
	const struct function *f = graph_main(g);
	struct occurrence *by_value = arena_many(a, struct occurrence, f->bindings.n);
	struct occurrence_vec out = { 0 };

	for (int i = 0; i < tasks->n; i++) {
		const struct model_task *t = &tasks->at[i];

		for (int j = 0; t->dag && j < t->uses.n; j++)
			if (t->uses.at[j].function == g->main)
				by_value[t->uses.at[j].value] =
					occurrence_of(a, f, i, t->dag, &t->uses.at[j]);
	}
	for (int v = 0; v < f->bindings.n; v++)
		if (by_value[v].args.n > 0)
			vec_push(a, &out, by_value[v]);
	return out;
}
