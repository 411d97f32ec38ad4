/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/made.c - the second half of open_model(). */
#include "runtime/made.h"

#include "graph/pass/pass.h"

const struct model_code *made_code(struct arena *a, struct graph *g, const struct open_options *o)
{
	struct graph *fused = graph_passes_after(a, g, "scales");
	struct opened *m = arena_one(a, struct opened);
	struct choice_plan plan;

	if (!fused || open_plan(a, o, &plan) < 0)
		return NULL;
	int rc = open_graph(a, fused, &plan, m);

	db_close(plan.db);
	return rc < 0 ? NULL : model_code_new(a, m->graph, m->tasks, m->choices, NULL);
}
