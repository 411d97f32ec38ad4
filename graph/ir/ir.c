/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/ir.c - graphs, and reading their bindings. */
#include "graph/ir/ir.h"

#include <assert.h>

#include "base/err.h"
#include "graph/ir/op.h"

/* What a graph may fold where its maker says nothing else: shapes, and weights of small models. */
#define FOLD_BYTES   (INT64_C(256) << 20)
#define FOLD_SECONDS 20

struct graph *graph_new(struct arena *a, const char *name)
{
	struct graph *g = arena_one(a, struct graph);

	g->arena = a;
	g->name = arena_strdup(a, name);
	g->main = FUNCTION_NONE;
	g->budget = (struct fold_budget){ FOLD_BYTES, FOLD_SECONDS };
	return g;
}

const struct axis *graph_find_symbol(const struct graph *g, const char *name)
{
	int i = names_get(&g->symbols, name, -1);

	return i < 0 ? NULL : g->symbol.at[i];
}

const struct axis *graph_symbol(struct graph *g, const char *name)
{
	const struct axis *found = graph_find_symbol(g, name);

	if (found)
		return found;
	struct axis *axis = arena_one(g->arena, struct axis);

	struct text printed = { 0 };

	text_name(&printed, name);	/* types are printed and read again */
	axis->name = arena_strdup(g->arena, text_str(&printed));
	axis->hi = GRAPH_MAX_DIM;
	text_free(&printed);
	names_add(g->arena, &g->symbols, arena_strdup(g->arena, name), g->symbol.n);
	vec_push(g->arena, &g->symbol, axis);
	return axis;
}

struct function *graph_main(const struct graph *g)
{
	return g->functions.at[g->main];
}

int graph_find_function(const struct graph *g, const char *name)
{
	int i = names_get(&g->function_names, name, FUNCTION_NONE);
	bool there = i >= 0 && i < g->functions.n && strcmp(g->functions.at[i]->name, name) == 0;

	return there ? i : FUNCTION_NONE;
}

const struct function *graph_applied(const struct graph *g, const struct binding *b)
{
	bool applies = b->kind == BIND_APPLY && b->function != FUNCTION_NONE;

	return applies ? g->functions.at[b->function] : NULL;
}

const struct binding *function_at(const struct function *f, int value)
{
	assert(value >= 0 && value < f->bindings.n);
	return &f->bindings.at[value];
}

const struct array *function_const(const struct function *f, int value)
{
	return value < 0 ? NULL : function_at(f, value)->array;
}

bool function_is_fused(const struct function *f)
{
	return attrs_find(f->attrs, f->nattrs, "fused") != NULL;
}

struct value_vec function_calls(struct arena *a, const struct function *f)
{
	struct value_vec calls = { 0 };

	for (int v = f->nparams; v < f->bindings.n; v++)
		if (function_at(f, v)->kind == BIND_CALL)
			vec_push(a, &calls, v);
	return calls;
}

const struct binding *function_first_call(const struct function *f)
{
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (function_at(f, v)->kind == BIND_CALL)
			return function_at(f, v);
	return NULL;
}

int value_vec_find(const struct value_vec *list, int value)
{
	for (int i = 0; i < list->n; i++)
		if (list->at[i] == value)
			return i;
	return -1;
}

bool function_is_compiled(const struct function *f)
{
	return attrs_find(f->attrs, f->nattrs, "compiled") != NULL;
}

const char *function_generator(const struct function *f)
{
	const struct attr *attr = attrs_find(f->attrs, f->nattrs, "generator");

	return attr ? attr->string : NULL;
}

struct demand function_demand(const struct function *f)
{
	struct demand all = { DEMAND_NONE, NULL };

	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct demand *d = &f->bindings.at[v].origin->demand;

		if (d->kind == DEMAND_KEEP)
			return *d;
		if (d->kind == DEMAND_OFFLOAD && !all.generator)
			all = *d;
	}
	return all;
}

int *function_uses(struct arena *a, const struct function *f)
{
	int *uses = arena_many(a, int, f->bindings.n);

	for (int i = 0; i < f->bindings.n; i++)
		for (int j = 0; j < f->bindings.at[i].nargs; j++)
			if (f->bindings.at[i].args[j] >= 0)
				uses[f->bindings.at[i].args[j]]++;
	for (int i = 0; i < f->nresults; i++)
		uses[f->results[i]]++;
	return uses;
}

static const struct attr *find(const struct binding *b, const char *name,
			       const struct attr_spec **spec)
{
	*spec = core_op_attr(b->op, name);
	assert(*spec);
	return attrs_find(b->attrs, b->nattrs, name);
}

int64_t call_int(const struct binding *b, const char *name)
{
	const struct attr_spec *spec;
	const struct attr *at = find(b, name, &spec);

	assert(spec->kind == ATTR_INT || spec->kind == ATTR_ELEMENT);
	return at ? at->ints[0] : (int64_t)spec->number;
}

bool call_flag(const struct binding *b, const char *name)
{
	return call_int(b, name) != 0;
}

enum element call_element(const struct binding *b, const char *name)
{
	return (enum element)call_int(b, name);
}

double call_float(const struct binding *b, const char *name)
{
	const struct attr_spec *spec;
	const struct attr *at = find(b, name, &spec);

	assert(spec->kind == ATTR_FLOAT);
	return at ? at->floats[0] : spec->number;
}

const char *call_string(const struct binding *b, const char *name)
{
	const struct attr_spec *spec;
	const struct attr *at = find(b, name, &spec);

	assert(spec->kind == ATTR_STRING);
	return at ? at->string : spec->string;
}

const int64_t *call_ints(const struct binding *b, const char *name, int *n)
{
	const struct attr_spec *spec;
	const struct attr *at = find(b, name, &spec);

	assert(spec->kind == ATTR_INTS);
	*n = at ? at->n : 0;
	return at ? at->ints : NULL;
}

const double *call_floats(const struct binding *b, const char *name, int *n)
{
	const struct attr_spec *spec;
	const struct attr *at = find(b, name, &spec);

	assert(spec->kind == ATTR_FLOATS);
	*n = at ? at->n : 0;
	return at ? at->floats : NULL;
}

bool call_has(const struct binding *b, const char *name)
{
	return attrs_find(b->attrs, b->nattrs, name) != NULL;
}

int call_arg(const struct binding *b, int i)
{
	return i < b->nargs ? b->args[i] : VALUE_NONE;
}

int call_error(const struct binding *b, const char *fmt, va_list ap)
{
	struct text message = { 0 };

	text_vprintf(&message, fmt, ap);
	err_set("%s: %s", b->op->name, text_str(&message));
	text_free(&message);
	return -1;
}
