/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/space.c - the usual states, the images between them, and what stands beside them. */
#include "graph/layout/spacing.h"

#include "graph/ir/reach.h"

/* --- nodes */

/* One state for each manner, of the one kernel that the rules of fusion made. */
static void add_node(struct spacing *s, int value)
{
	struct layout_space *space = s->space;
	const struct binding *b = function_at(s->main, value);
	int node = space->nodes.n;

	vec_push(space->arena, &space->nodes, (struct layout_node){ .value = value });
	for (int m = 0; m < MANNER_COUNT; m++) {
		struct state_maker state = state_begin(s, (enum layout_manner)m, -1);

		state.state.usual = true;
		state_kernel(&state, b->function, b->nargs, b->args);
		state_end(&state, node, &(struct layout_likeness){ 0 });
	}
	if (space->nodes.at[node].states.n > 0)
		space->node_of[value] = node;
	else
		space->nodes.n--;
}

static bool is_application(const struct graph *g, const struct binding *b)
{
	return b->kind == BIND_APPLY && b->function != FUNCTION_NONE &&
	       function_is_fused(g->functions.at[b->function]);
}

/* Is there an operator for whose sake images are stored otherwise? */
static bool has_windows(const struct graph *g)
{
	static const struct core_op *const windows[] = { &core_conv, &core_max_pool, &core_avg_pool };

	for (int i = 0; i < g->functions.n; i++)
		for (int v = 0; v < g->functions.at[i]->bindings.n; v++)
			for (size_t k = 0; k < sizeof(windows) / sizeof(windows[0]); k++)
				if (function_at(g->functions.at[i], v)->op == windows[k])
					return true;
	return false;
}

static void add_nodes(struct spacing *s, const struct graph *g)
{
	bool any = has_windows(g);

	for (int v = s->main->nparams; any && v < s->main->bindings.n; v++)
		if (s->needed[v] && is_application(g, function_at(s->main, v)))
			add_node(s, v);
}

/* --- images */

int layout_image_place(const struct layout_image *x, int64_t store)
{
	for (int i = 0; i < x->n; i++)
		if (x->store[i] == store)
			return i;
	return -1;
}

static void add_store(struct layout_image *x, int64_t store)
{
	if (layout_image_place(x, store) < 0)
		x->store[x->n++] = (int)store;
}

/* The storages in which kernel K takes values of main. */
static void add_stores_of(struct spacing *s, const struct layout_kernel *k)
{
	for (int i = 0; i < k->nargs && k->function != FUNCTION_NONE; i++)
		if (k->args[i] >= 0 && k->args[i] < s->main->bindings.n)
			add_store(&s->space->images[k->args[i]], k->stored[i]);
}

/* The storages that some state takes or gives each value in. */
static void add_stores(struct spacing *s)
{
	struct layout_space *space = s->space;

	for (int v = 0; v < s->main->bindings.n; v++)
		add_store(&space->images[v], STORE_NCHW);
	for (int i = 0; i < space->nodes.n; i++) {
		const struct layout_node *n = &space->nodes.at[i];

		for (int j = 0; j < n->states.n; j++) {
			const struct layout_state *state = &n->states.at[j];

			for (int k = 0; k < state->nkernels; k++)
				add_stores_of(s, &layout_kernels(space, state)[k]);
			if (state->nkernels)
				add_store(&space->images[n->value], layout_result(space, state));
		}
	}
}

static int transform_task(struct spacing *s, const struct type *t, int from, int to)
{
	int identity = variant_identity(s->transforms, t);
	const struct function *f = s->transforms->functions.at[identity];
	struct arena *a = s->space->arena;
	int64_t *stored = arena_many(a, int64_t, 2);
	struct cut_dag plain = cut_fused(a, f, arena_many(a, const struct array *, 1));

	stored[0] = from;
	stored[1] = to;
	struct cut_dag c = variant_cut(a, &plain, f, stored);

	return spacing_task(s, &c);
}

/* Between storages that were added since the last time. */
static void add_transforms(struct spacing *s)
{
	for (int v = 0; v < s->main->bindings.n; v++) {
		struct layout_image *x = &s->space->images[v];
		const struct type *t = function_at(s->main, v)->type;

		for (int i = 0; i < x->n; i++)
			for (int j = 0; j < x->n; j++)
				if (i >= x->priced || j >= x->priced)
					x->transform[i][j] =
						i == j || storage_same(t, x->store[i], x->store[j])
							? -1
							: transform_task(s, t, x->store[i], x->store[j]);
		x->priced = x->n;
	}
}

/* --- the space */

/* G with room for more functions, which G does not get; they live as long as it does. */
static struct graph *extended(struct arena *a, const struct graph *g)
{
	struct graph *more = arena_memdup(a, g, sizeof(*g));

	more->functions = (struct function_vec){ 0 };
	more->function_names = (struct names){ 0 };
	for (int i = 0; i < g->functions.n; i++) {
		vec_push(a, &more->functions, g->functions.at[i]);
		names_add(a, &more->function_names, g->functions.at[i]->name, i);
	}
	return more;
}

struct layout_space *layout_space_new(struct arena *a, const struct graph *g, int lanes)
{
	static void (*const alternatives[])(struct spacing *) = {
#define X(name) layout_##name,
#include "graph/layout/alternatives.def"
#undef X
	};
	const struct function *main = graph_main(g);
	struct layout_space *space = arena_one(a, struct layout_space);
	struct spacing s = { .space = space, .main = main, .needed = function_needed(a, main),
			     .transforms = graph_new(a, "transforms") };

	s.uses = function_needed_uses(a, main, s.needed);
	*space = (struct layout_space){
		.arena = a,
		.graph = extended(a, g),
		.lanes = lanes,
		.node_of = arena_many(a, int, main->bindings.n),
		.images = arena_many(a, struct layout_image, main->bindings.n),
	};
	for (int v = 0; v < main->bindings.n; v++)
		space->node_of[v] = -1;
	add_nodes(&s, g);
	add_stores(&s);
	add_transforms(&s);	/* before the tasks of alternatives, which are tuned last */
	space->usual = space->tasks.n;
	for (size_t i = 0; i < sizeof(alternatives) / sizeof(alternatives[0]); i++)
		alternatives[i](&s);
	add_stores(&s);
	add_transforms(&s);
	return space;
}

const struct layout_kernel *layout_kernels(const struct layout_space *x, const struct layout_state *s)
{
	return &x->kernels.at[s->kernel];
}

int64_t layout_result(const struct layout_space *x, const struct layout_state *s)
{
	const struct layout_kernel *last = &layout_kernels(x, s)[s->nkernels - 1];

	return last->stored[last->nargs];
}

bool layout_holds(const struct layout_space *x, const int *state)
{
	for (int p = 0; p < x->pacts.n; p++) {
		const struct value_vec *nodes = &x->pacts.at[p];
		int in = 0;

		for (int i = 0; i < nodes->n; i++)
			in += x->nodes.at[nodes->at[i]].states.at[state[nodes->at[i]]].pact == p;
		if (in != 0 && in != nodes->n)
			return false;
	}
	return true;
}
