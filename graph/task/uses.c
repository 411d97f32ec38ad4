/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/uses.c - the lists of uses, turned around. */
#include "graph/task/uses.h"

struct task_uses {
	int **of;	/* by function and value: index of the task, and one more; NULL, 0: none */
};

const struct task_uses *task_uses_new(struct arena *a, const struct graph *g,
				      const struct model_task_vec *tasks)
{
	struct task_uses *u = arena_one(a, struct task_uses);

	u->of = arena_many(a, int *, g->functions.n);
	for (int i = 0; i < tasks->n; i++) {
		const struct model_use_vec *uses = &tasks->at[i].uses;

		for (int j = 0; j < uses->n; j++) {
			int function = uses->at[j].function;

			if (!u->of[function])
				u->of[function] = arena_many(a, int,
							     g->functions.at[function]->bindings.n);
			u->of[function][uses->at[j].value] = i + 1;
		}
	}
	return u;
}

int task_used(const struct task_uses *u, int function, int value)
{
	return u->of[function] ? u->of[function][value] - 1 : -1;
}
