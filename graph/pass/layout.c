/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/layout.c - images are stored as makes the whole model fastest.
 *
 * Requires: fused functions; the graph's costs: without them nothing is known of the machine, and
 *           images stay as they are.
 * Provides: fused functions whose images are stored otherwise (graph/task/variant.h), and
 *           transforms between them, which are fused functions, too.
 * Keeps:    what the graph computes; parameters and results of main are plain. */
#include "graph/layout/apply.h"
#include "graph/layout/choose.h"
#include "graph/pass/costs.h"
#include "graph/pass/pass.h"

static struct graph *run(struct arena *a, const struct graph *g)
{
	const struct kernel_costs *costs = g->costs;
	struct graph *same = arena_memdup(a, g, sizeof(*g));

	if (!costs || g->main == FUNCTION_NONE)
		return same;
	struct arena *scratch = arena_new();
	const struct layout_space *x = layout_space_new(scratch, g, costs->lanes);
	const double *us = costs->times(costs->user, scratch, &x->tasks);
	struct graph *out = NULL;

	if (us && x->nodes.n > 0) {
		struct layout_choice c = layout_choose(scratch, x, us);

		if (costs->chose)
			costs->chose(costs->user, &c);
		out = layout_apply(a, x, c.state);
	} else if (us) {
		out = same;
	}
	arena_free(scratch);
	return out;
}

const struct pass pass_layout = {
	.name = "layout",
	.summary = "store images in the order of dims that makes the model fastest",
	.run = run,
};
