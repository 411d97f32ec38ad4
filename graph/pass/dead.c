/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/dead.c - leaves out what no result needs.
 *
 * Requires: nothing.
 * Provides: every binding but the parameters is needed for a result of its function, every function
 *           for a call of main.
 * Keeps:    the results; what may fail or take its time goes where nobody asks for it. */
#include "graph/pass/pass.h"
#include "graph/ir/reach.h"
#include "graph/pass/rewrite.h"

static struct graph *run(struct arena *a, const struct graph *g)
{
	return rewrite_graph(a, g, &(struct rewriter){ .keep = graph_reached(a, g) });
}

const struct pass pass_dead = {
	.name = "dead",
	.summary = "leave out what no result needs, and functions that nobody calls",
	.run = run,
};
