/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/reach.c - walks from results to what they need, and from functions to their callees. */
#include "graph/ir/reach.h"

bool *function_needed(struct arena *a, const struct function *f)
{
	bool *needed = arena_many(a, bool, f->bindings.n);

	for (int i = 0; i < f->nresults; i++)
		needed[f->results[i]] = true;
	for (int v = f->bindings.n - 1; v >= f->nparams; v--) {
		const struct binding *b = function_at(f, v);

		for (int i = 0; needed[v] && i < b->nargs; i++)
			if (b->args[i] >= 0)
				needed[b->args[i]] = true;
	}
	return needed;
}

int *function_needed_uses(struct arena *a, const struct function *f, const bool *needed)
{
	int *uses = arena_many(a, int, f->bindings.n);

	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		for (int i = 0; needed[v] && i < b->nargs; i++)
			if (b->args[i] >= 0)
				uses[b->args[i]]++;
	}
	for (int i = 0; i < f->nresults; i++)
		uses[f->results[i]]++;
	return uses;
}

/* A function whose callees are being visited. */
struct open_call {
	int function;
	const bool *needed;	/* of its values */
	int next;		/* binding to look at */
};

struct open_call_vec VEC(struct open_call);

struct call_walk {
	struct arena *arena;
	const struct graph *graph;
	bool *seen;
	int *order;
	int n;
	struct open_call_vec open;
};

static void enter(struct call_walk *w, int function)
{
	if (function == FUNCTION_NONE || w->seen[function])
		return;
	w->seen[function] = true;
	vec_push(w->arena, &w->open,
		 (struct open_call){ function, function_needed(w->arena,
							w->graph->functions.at[function]), 0 });
}

/* Depth first, with a stack of its own: models may nest graphs as deep as they like. */
static void walk_from(struct call_walk *w, int function)
{
	enter(w, function);
	while (w->open.n > 0) {
		struct open_call *top = &w->open.at[w->open.n - 1];
		const struct function *f = w->graph->functions.at[top->function];

		if (top->next == f->bindings.n) {
			w->order[w->n++] = top->function;
			w->open.n--;
			continue;
		}
		const struct binding *b = function_at(f, top->next);

		if (top->needed[top->next++]) {
			enter(w, b->function);
			enter(w, b->otherwise);
		}
	}
}

static struct call_walk walk_new(struct arena *a, const struct graph *g)
{
	return (struct call_walk){ .arena = a, .graph = g,
				   .seen = arena_many(a, bool, g->functions.n),
				   .order = arena_many(a, int, g->functions.n) };
}

int *graph_callees_first(struct arena *a, const struct graph *g)
{
	struct call_walk w = walk_new(a, g);

	for (int i = 0; i < g->functions.n; i++)
		if (i != g->main)
			walk_from(&w, i);
	if (g->main != FUNCTION_NONE)
		walk_from(&w, g->main);
	return w.order;
}

int function_callees(struct arena *a, const struct graph *g, int function, int **out)
{
	struct call_walk w = walk_new(a, g);

	walk_from(&w, function);
	*out = w.order;
	return w.n;
}

bool *graph_reached(struct arena *a, const struct graph *g)
{
	struct call_walk w = walk_new(a, g);

	if (g->main != FUNCTION_NONE)
		walk_from(&w, g->main);
	for (int i = 0; i < g->functions.n && g->main == FUNCTION_NONE; i++)
		w.seen[i] = true;
	return w.seen;
}
