/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/rewrite.c - building a graph again. */
#include "graph/pass/rewrite.h"

#include "base/err.h"
#include "graph/ir/reach.h"

int rewrite_uses(const struct rewrite *x, int v)
{
	int uses = v < x->seen.n ? x->seen.at[v] : 0;

	return uses ? uses : 1;
}

int rewrite_copy(struct rewrite *x, int value, const int *args)
{
	return build_copy(x->builder, function_at(x->function, value), args, x->through);
}

static void note_uses(struct rewrite *x, int from, int to)
{
	while (x->seen.n <= to)
		vec_push(x->scratch, &x->seen, 0);
	x->seen.at[to] += x->uses[from];
}

/* The binding VALUE of x->function built again. -1 and a message. */
static int rewrite_binding(struct rewrite *x, const struct rewriter *how, int value)
{
	const struct binding *b = function_at(x->function, value);
	int *args = arena_many(x->scratch, int, b->nargs);
	int made = REWRITE_COPY;

	for (int i = 0; i < b->nargs; i++)
		args[i] = b->args[i] < 0 ? b->args[i] : x->value[b->args[i]];
	x->builder->origin = b->origin;
	if (how->binding && !x->builder->plain)
		made = how->binding(x, value, args);
	if (made == REWRITE_COPY)
		made = rewrite_copy(x, value, args);
	if (made == VALUE_FAILED)
		return err_prefix("%s: %%%d %s", x->function->name, value, b->origin->label);
	x->value[value] = made;
	if (made >= 0) {
		note_uses(x, value, made);
		build_name(x->builder, made, b->name);
	}
	return 0;
}

/* What stands for result I, under the name by which callers know it. One that became the same value as
 * a parameter or another result of the model is a value of its own: a value has but one name. */
static int take_result(struct rewrite *x, int i, bool *taken)
{
	const struct function *f = x->function;
	const struct binding *of = function_at(f, f->results[i]);
	int made = x->value[f->results[i]];
	bool main = x->builder->index == x->builder->graph->main;

	if (!*of->name)
		return made;
	if (main && taken[made] && strcmp(build_at(x->builder, made)->name, of->name) != 0) {
		x->builder->origin = of->origin;
		made = build(x->builder, &core_identity, made);
		if (made < 0)
			return made;
	}
	taken[made] = true;
	if (made >= f->nparams)
		x->builder->function->bindings.at[made].name = of->name;
	return made;
}

static int rewrite_function(struct rewrite *x, const struct rewriter *how)
{
	const struct function *f = x->function;
	int *results = arena_many(x->scratch, int, f->nresults);

	vec_reserve(x->builder->arena, &x->builder->function->bindings, f->bindings.n);
	for (int i = 0; i < f->nparams; i++) {
		x->builder->function->bindings.at[i] = f->bindings.at[i];
		x->value[i] = i;
		note_uses(x, i, i);
	}
	for (int i = f->nparams; i < f->bindings.n; i++)
		if (x->needed[i] && rewrite_binding(x, how, i) < 0)
			return -1;
	bool *taken = arena_many(x->scratch, bool, x->builder->function->bindings.n + f->nresults);

	for (int i = 0; i < f->nparams; i++)
		taken[i] = true;
	for (int i = 0; i < f->nresults; i++)
		results[i] = take_result(x, i, taken);
	return builder_end(x->builder, f->nresults, results) == FUNCTION_NONE ? -1 : 0;
}

static const struct type *type_of_function(struct arena *a, const struct function *f)
{
	const struct type **params = arena_many(a, const struct type *, f->nparams);

	for (int i = 0; i < f->nparams; i++)
		params[i] = f->bindings.at[i].type;
	return type_function(a, f->nparams, params, f->result);
}

/* G without functions; its symbols are the same. */
static struct graph *begin(struct arena *a, const struct graph *g)
{
	struct graph *to = arena_one(a, struct graph);

	*to = *g;
	to->arena = a;
	to->functions = (struct function_vec){ 0 };
	to->function_names = (struct names){ 0 };
	return to;
}

/* A place in TO for each function that is kept; where it is, by function. */
static int *declare(struct graph *to, const struct graph *g, const struct rewriter *how)
{
	int *through = arena_many(to->arena, int, g->functions.n);

	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];

		through[i] = FUNCTION_NONE;
		if (how->keep && !how->keep[i])
			continue;
		through[i] = graph_declare(to, f->name, type_of_function(to->arena, f));
		struct function *made = to->functions.at[through[i]];

		made->attrs = f->attrs;
		made->nattrs = f->nattrs;
	}
	to->main = g->main == FUNCTION_NONE ? FUNCTION_NONE : through[g->main];
	return through;
}

struct graph *rewrite_graph(struct arena *a, const struct graph *g, const struct rewriter *how)
{
	struct arena *scratch = arena_new();
	struct graph *to = begin(a, g);
	const int *through = declare(to, g, how);
	int *order = graph_callees_first(a, g);

	for (int i = 0; i < g->functions.n && to; i++) {
		const struct function *f = g->functions.at[order[i]];

		if (through[order[i]] == FUNCTION_NONE)
			continue;
		struct builder b = builder_resume(to, through[order[i]]);
		const bool *needed = function_needed(scratch, f);
		struct rewrite x = { .from = g, .builder = &b, .function = f, .needed = needed,
				     .uses = function_needed_uses(scratch, f, needed),
				     .value = arena_many(scratch, int, f->bindings.n),
				     .through = through, .scratch = scratch, .user = how->user };

		b.plain = function_is_fused(f) || function_is_compiled(f) || function_generator(f);
		if (rewrite_function(&x, how) < 0)
			to = NULL;
		arena_reset(scratch);
	}
	arena_free(scratch);
	return to;
}
