/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/inline.c - puts functions where they are called.
 *
 * Requires: nothing.
 * Provides: no function that is called in one place only, but loop bodies, branches, fused and
 *           recursive ones; no call of a closure that is made in the same function.
 * Keeps:    what the graph computes. */
#include "graph/ir/reach.h"
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"

/* By function of G: in how many places, of what main needs, is it named? In A. */
static int *count(struct arena *a, const struct graph *g)
{
	const bool *reached = graph_reached(a, g);
	int *mentions = arena_many(a, int, g->functions.n);

	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];
		const bool *needed = reached[i] ? function_needed(a, f) : NULL;

		for (int v = f->nparams; needed && v < f->bindings.n; v++) {
			const struct binding *b = function_at(f, v);

			if (needed[v] && b->function != FUNCTION_NONE)
				mentions[b->function]++;
			if (needed[v] && b->otherwise != FUNCTION_NONE)
				mentions[b->otherwise]++;
		}
	}
	return mentions;
}

/* FUNCTION of x->from applied to ARGS. */
static int apply(struct rewrite *x, int function, int nargs, const int *args)
{
	const int *mentions = x->user;
	int to = x->through[function];
	const struct function *f = x->builder->graph->functions.at[to];
	bool done = f->results != NULL;	/* else it is being made: it calls itself */

	return mentions[function] == 1 && done && !function_is_fused(f)
		       ? build_inline(x->builder, to, nargs, args)
		       : build_apply(x->builder, to, nargs, args);
}

static int put_in(struct rewrite *x, int value, const int *args)
{
	const struct binding *b = function_at(x->function, value);

	if (b->kind != BIND_APPLY)
		return REWRITE_COPY;
	if (b->function != FUNCTION_NONE)
		return apply(x, b->function, b->nargs, args);
	const struct binding *made = function_at(x->function, b->args[0]);

	if (made->kind != BIND_CLOSURE)
		return REWRITE_COPY;
	int n = made->nargs + b->nargs - 1;
	int *all = arena_many(x->scratch, int, n);

	for (int i = 0; i < made->nargs; i++)
		all[i] = made->args[i] < 0 ? made->args[i] : x->value[made->args[i]];
	for (int i = 1; i < b->nargs; i++)
		all[made->nargs + i - 1] = args[i];
	return apply(x, made->function, n, all);
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	return rewrite_graph(a, g, &(struct rewriter){ .binding = put_in, .user = count(a, g) });
}

const struct pass pass_inline = {
	.name = "inline",
	.summary = "put functions that are called once where they are called",
	.run = run,
};
