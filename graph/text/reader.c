/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/reader.c - functions in the order in which they need each other. */
#include "base/err.h"
#include "graph/build/check.h"
#include "graph/text/parse.h"

enum { UNREAD, READING, READ };

/* Bodies that wait for each other are on the stack; a model's loops are nested less deep by far. */
enum { MAX_DEPTH = 1200 };

int reader_declare(struct graph_reader *r, const char *name, int n, const char *const *names,
		   const struct type *const *types, const struct type *result)
{
	struct graph *g = r->graph;

	if (graph_find_function(g, name) != FUNCTION_NONE)
		return err_set("there is a function %s already", name);
	int index = graph_declare(g, name, type_function(g->arena, n, types, result));
	struct builder b = builder_resume(g, index);

	for (int i = 0; i < n; i++)
		build_name(&b, i, names[i]);
	vec_push(g->arena, &r->progress, UNREAD);
	return 0;
}

/* Reads FUNCTION where it was not read yet. One that is being read goes by what was declared. */
static int need(struct graph_reader *r, int function)
{
	if (function == FUNCTION_NONE || r->progress.at[function] == READ)
		return 0;
	if (r->progress.at[function] == READING) {
		r->cyclic = true;
		return 0;
	}
	if (r->depth == MAX_DEPTH)
		return err_set("functions that use each other %d deep", MAX_DEPTH);
	r->depth++;
	r->progress.at[function] = READING;
	int rc = r->read_body(r, function);

	r->progress.at[function] = READ;
	r->depth--;
	return rc;
}

int reader_finish(struct graph_reader *r, const char *main)
{
	struct graph *g = r->graph;

	g->main = graph_find_function(g, main);
	if (g->main == FUNCTION_NONE)
		return err_set("there is no function %s, which is the main one", main);
	for (int i = 0; i < g->functions.n; i++)
		if (need(r, i) < 0)
			return -1;
	/* What went by a declaration may have been written with more than the body then gave. */
	return r->cyclic ? graph_check(g) : 0;
}

int reader_need(struct graph_reader *r, const struct binding *of)
{
	return need(r, of->function) < 0 ? -1 : need(r, of->otherwise);
}

int reader_bind(struct builder *b, const struct binding *of, const struct type *type)
{
	const struct demand *demand = &of->origin->demand;
	int before = b->function->bindings.n;

	if (demand->kind != DEMAND_NONE && of->kind != BIND_CALL) {
		err_set("only calls of operators are kept or offloaded");
		return VALUE_FAILED;
	}
	if (demand->generator && !*demand->generator) {
		err_set("a generator has a name");
		return VALUE_FAILED;
	}
	int value = build_copy(b, of, of->args, NULL);

	if (value == VALUE_NONE) {
		err_set("the field was left out");
		return VALUE_FAILED;
	}
	if (value == VALUE_FAILED || !type)
		return value;
	/* The field of a tuple that was made here is a value that is there already. */
	if (value < before ? type_fits(build_type(b, value), type)
			   : build_retype(b, value, type) == 0)
		return value;
	err_set("the value is %s", type_string(b->arena, build_type(b, value)));
	return VALUE_FAILED;
}
