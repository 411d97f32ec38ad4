/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/layout.c - images are stored, and calls gathered into kernels, as makes the whole model
 * fastest.
 *
 * Requires: fused functions; the graph's costs: without them nothing is known of the machine, and
 *           the graph stays as it is.
 * Provides: fused functions whose images are stored otherwise (graph/task/variant.h), and
 *           transforms between them, which are fused functions, too; where times say so, kernels
 *           that the rules of fusion do not have (graph/layout/alternatives.def).
 * Keeps:    what the graph computes; parameters and results of main are plain. */
#include "graph/layout/apply.h"
#include "graph/layout/choose.h"
#include "graph/pass/costs.h"
#include "graph/pass/pass.h"

/* Longer than any model takes; finite, for sums are compared. */
#define NOT_MEASURED_US 1e9

/* The times of X's tasks; NULL and a message. The rules of fusion are right until times say otherwise:
 * what else there is counts as far as it was measured. */
static const double *times(struct arena *a, const struct kernel_costs *costs, const struct layout_space *x)
{
	double *us = costs->times(costs->user, a, &x->tasks, x->usual);

	for (int i = x->usual; us && i < x->tasks.n; i++)
		us[i] = us[i] > 0 ? us[i] : NOT_MEASURED_US;
	return us;
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	const struct kernel_costs *costs = g->costs;
	struct graph *same = arena_memdup(a, g, sizeof(*g));

	if (!costs || g->main == FUNCTION_NONE)
		return same;
	struct arena *scratch = arena_new();
	const struct layout_space *x = layout_space_new(scratch, g, costs->lanes);
	const double *us = times(scratch, costs, x);
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
	.summary = "store images and cut kernels as makes the model fastest",
	.run = run,
};
