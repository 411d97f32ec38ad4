/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/graph.c - leaves out of a graph what the library runs without it. */
#include "runtime/library/graph.h"

#include "graph/ir/reach.h"
#include "graph/text/text.h"

/* A function of F's type that nobody runs: it calls itself. INDEX is its own. */
static struct function *bodiless(struct arena *a, const struct function *f, int index)
{
	struct function *out = arena_one(a, struct function);
	int *args = arena_many(a, int, f->nparams + 1);
	int *results = arena_many(a, int, f->nresults + 1);

	*out = *f;
	out->bindings = (struct binding_vec){ 0 };
	out->results = results;
	for (int i = 0; i < f->nparams; i++) {
		vec_push(a, &out->bindings, *function_at(f, i));
		args[i] = i;
	}
	vec_push(a, &out->bindings, (struct binding){
		.kind = BIND_APPLY, .type = f->result, .name = "", .origin = &origin_none, .args = args,
		.nargs = f->nparams, .function = index });
	results[0] = f->nparams;
	for (int i = 0; f->nresults != 1 && i < f->nresults; i++) {
		int *tuple = arena_one(a, int);

		*tuple = f->nparams;
		results[i] = out->bindings.n;
		vec_push(a, &out->bindings, (struct binding){
			.kind = BIND_FIELD, .type = f->result->field[i], .name = "", .origin = &origin_none,
			.args = tuple, .nargs = 1, .field = i });
	}
	return out;
}

static void leave_out(struct arena *a, struct graph *g, int function)
{
	g->functions.at[function] = bodiless(a, g->functions.at[function], function);
}

/* A copy of C's graph whose stretches have no bodies. */
static struct graph *without_stretches(const struct library_content *c)
{
	struct arena *a = c->arena;
	struct graph *g = arena_one(a, struct graph);

	*g = *c->graph;
	g->functions = (struct function_vec){ 0 };
	for (int i = 0; i < c->graph->functions.n; i++)
		vec_push(a, &g->functions, c->graph->functions.at[i]);
	for (int i = 0; i < c->stretches.n; i++)
		leave_out(a, g, c->stretches.at[i].function);
	return g;
}

/* By function: does the interpreter run it? */
static bool *interpreted(const struct library_content *c, const struct graph *g)
{
	bool *run = graph_reached(c->arena, g);

	for (int i = 0; i < c->steps.n; i++)
		if (c->steps.at[i].doing == LIBRARY_CALL)
			run[c->steps.at[i].what] = true;
	return run;
}

static size_t place(void *user, const struct array *x)
{
	return library_weight(user, x->data, array_bytes(x));
}

void library_graph_text(struct text *out, struct library_content *c)
{
	struct graph *g = without_stretches(c);
	const bool *run = interpreted(c, g);

	for (int i = 0; i < g->functions.n; i++)
		if (!run[i])
			leave_out(c->arena, g, i);
	graph_print_beside(out, g, (struct text_place){ place, c });
}
