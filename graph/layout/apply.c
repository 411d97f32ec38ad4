/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/apply.c - builds the graph again with the kernels of states, and transforms.
 *
 * Requires: fused functions.
 * Provides: an image exists in each storage that somebody wants, made once from the one that it
 *           is computed in; where its elements lie in the same order, by a reshape.
 * Keeps:    what the graph computes; weights. */
#include "graph/layout/apply.h"

#include "graph/ir/known.h"
#include "graph/ir/op.h"
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"

struct applying {
	const struct layout_space *space;
	const int *state;
	/* By value of main and place of the storage the new value that has it; VALUE_NONE. */
	int (*made)[MANNER_COUNT];
	int *home;			/* by value: place of the storage it was made in */
	int *kernel;			/* by kernel of the space, the new value that it is */
	struct known_calls variants;	/* function and storages, to function of the new graph */
	struct arena *arena;
};

/* The variant of function PLAIN of the new graph. */
static int variant_of(struct applying *s, struct graph *g, int plain, const int64_t *stored)
{
	int n = g->functions.at[plain]->nparams + 1;
	struct hasher *h = hasher_new();
	bool changed = false;

	hasher_int(h, plain);
	for (int i = 0; i < n; i++) {
		hasher_int(h, stored[i]);
		changed |= stored[i] != STORE_NCHW;
	}
	int *known = known_at(s->arena, &s->variants, hasher_end(h), FUNCTION_NONE);

	if (*known == FUNCTION_NONE)
		*known = changed ? variant_make(g, plain, stored) : plain;
	return *known;
}

static int transform(struct rewrite *x, const struct type *t, int value, int from, int to)
{
	struct graph *g = x->builder->graph;
	const int64_t stored[] = { from, to };

	if (storage_same(t, from, to))
		return build_stored(x->builder, value, t, from, to);
	int identity = variant_identity(g, t);
	int variant = identity == FUNCTION_NONE ? identity : variant_make(g, identity, stored);

	return variant == FUNCTION_NONE ? VALUE_FAILED
					: build_apply(x->builder, variant, 1, &value);
}

/* VALUE of main, which is in place HOME by now, in storage TO. */
static int in_storage(struct rewrite *x, int value, int64_t to)
{
	struct applying *s = x->user;
	const struct layout_image *image = &s->space->images[value];
	int place = layout_image_place(image, to), home = s->home[value];

	if (s->made[value][home] == VALUE_NONE)
		s->made[value][home] = x->value[value];		/* no node made it: plain */
	if (s->made[value][place] == VALUE_NONE)
		s->made[value][place] = transform(x, function_at(x->function, value)->type,
						  s->made[value][home], image->store[home], (int)to);
	return s->made[value][place];
}

/* The constants of K put together. */
static int joined(struct rewrite *x, const struct layout_kernel *k)
{
	int *parts = arena_many(x->scratch, int, k->nargs);
	struct attr_vec attrs = { 0 };

	for (int i = 0; i < k->nargs; i++)	/* some of them may come later in main */
		parts[i] = build_const(x->builder, function_const(x->function, k->args[i]));
	attrs_int(x->builder->arena, &attrs, "axis", k->axis);
	return build_call(x->builder, &core_concat, k->nargs, parts, &attrs);
}

/* What stands for argument I of K. */
static int argument(struct rewrite *x, const struct layout_kernel *k, int i)
{
	struct applying *s = x->user;
	int value = k->args[i], kernel = value - x->function->bindings.n;

	if (value < 0)
		return value;
	if (kernel < 0)
		return function_const(x->function, value) ? x->value[value]
							  : in_storage(x, value, k->stored[i]);
	if (s->space->kernels.at[kernel].function == FUNCTION_NONE)
		return joined(x, &s->space->kernels.at[kernel]);
	return s->kernel[kernel];
}

/* The application that kernel INDEX is. */
static int apply_kernel(struct rewrite *x, int index)
{
	struct applying *s = x->user;
	const struct layout_kernel *k = &s->space->kernels.at[index];
	int *args = arena_many(x->scratch, int, k->nargs);
	int variant = variant_of(s, x->builder->graph, x->through[k->function], k->stored);

	for (int i = 0; i < k->nargs; i++)
		args[i] = argument(x, k, i);
	s->kernel[index] = variant == FUNCTION_NONE
				   ? VALUE_FAILED
				   : build_apply(x->builder, variant, k->nargs, args);
	return s->kernel[index];
}

static int apply(struct rewrite *x, int value, const int *args)
{
	struct applying *s = x->user;
	int node = s->space->node_of[value];

	(void)args;
	if (x->function != graph_main(x->from) || node < 0)
		return REWRITE_COPY;
	const struct layout_state *state = &s->space->nodes.at[node].states.at[s->state[node]];
	int result = VALUE_NONE;

	for (int i = 0; i < state->nkernels; i++)
		result = apply_kernel(x, state->kernel + i);
	if (result < 0)
		return result;		/* VALUE_NONE: its reader computes it */
	s->home[value] = layout_image_place(&s->space->images[value], layout_result(s->space, state));
	s->made[value][s->home[value]] = result;
	return in_storage(x, value, STORE_NCHW);	/* for readers that are no nodes; dead if none */
}

struct graph *layout_apply(struct arena *a, const struct layout_space *x, const int *state)
{
	int n = graph_main(x->graph)->bindings.n;
	struct applying s = { .space = x, .state = state, .arena = arena_new() };

	s.made = (int (*)[MANNER_COUNT])arena_many(s.arena, int, n * MANNER_COUNT);
	s.home = arena_many(s.arena, int, n);
	s.kernel = arena_many(s.arena, int, x->kernels.n);
	for (int v = 0; v < n; v++)
		for (int k = 0; k < MANNER_COUNT; k++)
			s.made[v][k] = VALUE_NONE;
	struct graph *g = rewrite_graph(a, x->graph, &(struct rewriter){ .binding = apply,
									  .user = &s });

	arena_free(s.arena);
	return g ? pass_find("dead")->run(a, g) : NULL;
}
