/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/made.c - the second half of open_model(). */
#include "runtime/made.h"

#include "graph/pass/pass.h"

const struct model_code *made_code(struct arena *a, struct graph *g, const struct open_options *o)
{
	struct graph *fused = graph_passes_after(a, g, "scales");
	struct model_task_vec *tasks = arena_one(a, struct model_task_vec);
	struct choice_plan plan;
	int built;

	if (!fused || open_plan(a, o, &plan) < 0)
		return NULL;
	*tasks = graph_tasks(a, fused);
	const struct choice *choices = choose(a, tasks, &plan, &built);

	db_close(plan.db);
	return choices ? model_code_new(a, fused, tasks, choices, NULL) : NULL;
}
