/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/cse.c - what is computed twice in a function is computed once.
 *
 * Requires: nothing.
 * Provides: no two constants of a function are equal, no two calls of a pure operator, tuples or
 *           fields are the same.
 * Keeps:    what the graph computes; calls of functions, for they may draw random numbers. */
#include "graph/ir/known.h"
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"

struct cse {
	const struct function *function;	/* that it is about */
	struct known_calls known;			/* by binding, its value */
};

static struct hash128 hash_binding(const struct graph *g, const struct binding *b, const int *args)
{
	struct hasher *h = hasher_new();

	hasher_int(h, b->kind);
	hasher_str(h, b->kind == BIND_CALL ? b->op->name : "");
	hasher_int(h, b->field);
	hash_attrs(h, b);
	for (int i = 0; i < b->nargs; i++)
		hasher_int(h, args[i]);
	if (b->kind == BIND_CONST)
		hash_array(h, b->array);
	if (g->shared)
		hash_demand(h, b->origin->demand);
	return hasher_end(h);
}

static bool is_pure(const struct binding *b)
{
	return b->kind == BIND_CONST || b->kind == BIND_TUPLE || b->kind == BIND_FIELD ||
	       (b->kind == BIND_CALL && !b->op->impure);
}

static int merge(struct rewrite *x, int value, const int *args)
{
	const struct binding *b = function_at(x->function, value);
	struct cse *c = x->user;

	if (c->function != x->function)
		*c = (struct cse){ .function = x->function };
	if (!is_pure(b))
		return REWRITE_COPY;
	int *known = known_at(x->scratch, &c->known, hash_binding(x->from, b, args), VALUE_NONE);

	if (*known == VALUE_NONE)
		*known = rewrite_copy(x, value, args);
	return *known;
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	struct cse c = { 0 };

	return rewrite_graph(a, g, &(struct rewriter){ .binding = merge, .user = &c });
}

const struct pass pass_cse = {
	.name = "cse",
	.summary = "compute once what is computed twice",
	.run = run,
};
