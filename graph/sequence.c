/* SPDX-License-Identifier: Apache-2.0 */
/* graph/sequence.c - from tasks back to the groups, in order. */
#include "graph/sequence.h"

#include "te/eval.h"

/* What VALUE is a view of, itself where it is none: free groups that are not constant only change
 * the shape of their first operand. */
static int origin(const struct function *f, const struct grouping *groups, int value)
{
	while (!groups->constant[value]) {
		const struct binding *b = &f->bindings.at[value];
		int group = groups->group_of[value];

		if (group < 0 || groups->groups.at[group].kind != GROUP_FREE)
			break;
		value = b->kind == BIND_FIELD ? b->tuple : call_arg(&b->call, 0);
	}
	return value;
}

static struct occurrence occurrence_of(struct arena *a, const struct graph *g,
				       const struct grouping *groups, const struct model_task *t,
				       const struct model_use *use)
{
	struct occurrence o = { 0 };

	for (int i = 0; i < use->inputs.n; i++) {
		int value = use->inputs.at[i];
		bool constant = value == VALUE_NONE || groups->constant[value];

		vec_push(a, &o.args, constant ? VALUE_NONE : origin(g->main, groups, value));
	}
	vec_push(a, &o.args, groups->groups.at[use->group].output);
	while (o.args.n < dag_arg_count(t->dag))
		vec_push(a, &o.args, VALUE_NONE);
	return o;
}

struct occurrence_vec graph_sequence(struct arena *a, const struct graph *g,
				     const struct grouping *groups,
				     const struct model_task_vec *tasks)
{
	struct occurrence *by_group = arena_many(a, struct occurrence, groups->groups.n);
	struct occurrence_vec out = { 0 };

	for (int i = 0; i < tasks->n; i++) {
		const struct model_task *t = &tasks->at[i];

		for (int j = 0; t->dag && j < t->uses.n; j++) {
			const struct model_use *use = &t->uses.at[j];

			by_group[use->group] = occurrence_of(a, g, groups, t, use);
			by_group[use->group].task = i;
		}
	}
	for (int i = 0; i < groups->groups.n; i++)
		if (by_group[i].args.n > 0)
			vec_push(a, &out, by_group[i]);
	return out;
}
