/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/code.c - lists of steps for all compiled functions of a graph. */
#include "runtime/code.h"

static void done(void *data)
{
	const struct model_code *c = data;

	sites_free(c->sites, c->graph->functions.n);
}

const struct model_code *model_code_new(struct arena *a, const struct graph *g,
					const struct model_task_vec *tasks,
					const struct choice *choices,
					struct foreign *const *foreign)
{
	struct model_code *c = arena_one(a, struct model_code);

	*c = (struct model_code){
		.graph = g,
		.sites = sites_new(a, g, tasks, choices),
		.flats = arena_many(a, struct flat *, g->functions.n),
		.foreign = foreign,
	};
	arena_defer(a, done, c);
	for (int i = 0; i < g->functions.n; i++)
		if (function_is_compiled(g->functions.at[i]))
			c->flats[i] = flat_new(a, g, i, c->sites);
	return c;
}
