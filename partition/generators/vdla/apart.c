/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/apart.c - fused functions of one call, or of two. */
#include "partition/generators/vdla/apart.h"

#include "graph/pass/rewrite.h"
#include "graph/task/fused.h"

/* The operand that is computed with call B, by the same kernel; VALUE_NONE. */
static int partner(const struct function *f, const struct binding *b)
{
	int of = b->kind == BIND_CALL && b->nargs > 0 ? b->args[0] : VALUE_NONE;
	const struct binding *operand = of == VALUE_NONE ? NULL : function_at(f, of);

	if (!operand || operand->kind != BIND_CALL)
		return VALUE_NONE;
	bool bytes = b->op == &core_cast && b->type->element == ELEMENT_I8;
	bool pool = b->op == &core_max_pool && operand->op == &core_pad;

	return bytes || pool ? of : VALUE_NONE;
}

/* Does anybody but a partner read V of F? */
static bool is_read(const struct function *f, int v)
{
	for (int i = 0; i < f->nresults; i++)
		if (f->results[i] == v)
			return true;
	for (int r = v + 1; r < f->bindings.n; r++) {
		const struct binding *b = function_at(f, r);

		for (int i = 0; i < b->nargs; i++)
			if (b->args[i] == v && partner(f, b) != v)
				return true;
	}
	return false;
}

/* Call V of F, with its partner, as a kernel; MADE: by value of F. */
static int make_kernel(struct rewrite *x, const struct function *f, int v, const int *made)
{
	int with = partner(f, function_at(f, v));
	struct value_vec members = { 0 }, outside;

	if (with != VALUE_NONE)
		vec_push(x->scratch, &members, with);
	vec_push(x->scratch, &members, v);
	int index = fused_make(x->builder->graph, x->scratch, f, &members, &outside);

	if (index == FUNCTION_NONE)
		return VALUE_FAILED;
	int *args = arena_many(x->scratch, int, outside.n);

	for (int i = 0; i < outside.n; i++)
		args[i] = made[outside.at[i]];
	return build_apply(x->builder, index, outside.n, args);
}

static int take_apart(struct rewrite *x, int value, const int *args)
{
	const bool *apart = x->user;

	if (x->function != graph_main(x->from) || !apart[value])
		return REWRITE_COPY;
	const struct function *f = x->from->functions.at[function_at(x->function, value)->function];
	int *made = arena_many(x->scratch, int, f->bindings.n);

	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		made[v] = v < f->nparams ? args[v] : b->kind == BIND_CONST ? build_const(x->builder, b->array)
			  : is_read(f, v) ? make_kernel(x, f, v, made) : VALUE_NONE;
		if (made[v] == VALUE_FAILED)
			return VALUE_FAILED;
	}
	return made[f->results[0]];
}

struct graph *vdla_take_apart(struct arena *a, const struct graph *g, const bool *apart)
{
	return rewrite_graph(a, g, &(struct rewriter){ .binding = take_apart, .user = (void *)apart });
}
