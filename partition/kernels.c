/* SPDX-License-Identifier: Apache-2.0 */
/* partition/kernels.c - a fused function with its constants inside. */
#include "partition/kernels.h"

#include "graph/build/build.h"
#include "graph/task/storage.h"

/* FROM's function with its constants inside, in a graph of its own. */
struct closing {
	const struct cut_from *from;
	struct builder b;
	int *value;	/* by value of FROM's function, what it is now */
	int *argument;	/* by parameter */
};

static bool close_params(struct closing *x)
{
	const struct function *f = x->from->function;
	int n = 0;

	for (int i = 0; i < f->nparams; i++)
		if (!x->from->given[i]) {
			x->argument[n++] = i;
			x->value[i] = build_param(&x->b, function_at(f, i)->name, function_at(f, i)->type);
		}
	for (int i = 0; i < f->nparams; i++) {
		const struct array *c = x->from->given[i];

		if (c && c->count > 0 && !c->data)
			return false;
		if (c)
			x->value[i] = build_const(&x->b, c);
	}
	return true;
}

static bool close_bindings(struct closing *x)
{
	const struct function *f = x->from->function;

	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);
		int *args = arena_many(x->b.arena, int, b->nargs);

		for (int i = 0; i < b->nargs; i++)
			args[i] = b->args[i] < 0 ? b->args[i] : x->value[b->args[i]];
		x->value[v] = build_copy(&x->b, b, args, NULL);
		if (x->value[v] < 0)
			return false;
	}
	return true;
}

/* By value of the closed function, how it is stored. */
static const int *channels_of(struct arena *a, const struct closing *x, const struct function *closed)
{
	const struct function *f = x->from->function;
	int *channels = arena_many(a, int, closed->bindings.n);

	for (int i = 0; x->from->stored && i < closed->nparams; i++)
		channels[i] = (int)x->from->stored[x->argument[i]];
	if (x->from->stored)
		channels[closed->results[0]] = (int)x->from->stored[f->nparams];
	return channels;
}

const struct kernel_region *kernel_region_new(struct arena *a, const struct cut_from *from)
{
	const struct function *f = from->function;
	struct kernel_region *r = arena_one(a, struct kernel_region);

	if (!f || f->nresults != 1)
		return NULL;
	struct closing x = { .from = from, .b = builder_begin(graph_new(a, "kernel"), f->name),
			     .value = arena_many(a, int, f->bindings.n),
			     .argument = arena_many(a, int, f->nparams) };

	x.b.plain = true;
	if (!close_params(&x) || !close_bindings(&x))
		return NULL;
	int index = builder_end(&x.b, 1, &x.value[f->results[0]]);

	if (index == FUNCTION_NONE)
		return NULL;
	r->function = x.b.graph->functions.at[index];
	r->argument = x.argument;
	r->flow = flow_new(a, r->function);
	const struct value_vec calls = function_calls(a, r->function);

	r->view = region_view_new(a, &r->flow, region_view_room(a, r->function), &calls,
				  channels_of(a, &x, r->function));
	return r->view ? r : NULL;
}

const char *kernel_claimed(struct arena *a, const struct backend *b, const struct kernel_region *r,
			   const char **why)
{
	const struct value_vec calls = function_calls(a, r->function);
	char text[HONE_WHY_BYTES] = "";

	*why = "no pattern matches all of it";
	for (int i = 0; i < b->npatterns && calls.n > 0; i++) {
		struct value_vec members;

		if (!pattern_match(a, b->patterns[i], &r->flow, calls.at[0], &members) || members.n != calls.n)
			continue;
		if (!b->generator->claims || b->generator->claims(&r->view->region, text) == 0)
			return b->generator->patterns[i].name;
		text[HONE_WHY_BYTES - 1] = 0;
		*why = *text ? arena_strdup(a, text) : "the generator does not say why";
	}
	return NULL;
}
