/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/fold.c - computes what is constant.
 *
 * Requires: nothing.
 * Provides: calls of pure operators on constants are constants, as far as the graph's budget goes;
 *           branches whose condition is constant are taken.
 * Keeps:    what the graph computes. */
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"

/* The builder folds by itself what is built. */
static struct graph *run(struct arena *a, const struct graph *g)
{
	return rewrite_graph(a, g, &(struct rewriter){ 0 });
}

const struct pass pass_fold = {
	.name = "fold",
	.summary = "compute what is constant",
	.run = run,
};
