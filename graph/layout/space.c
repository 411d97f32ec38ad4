/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/space.c - states of applications, and tasks of each. */
#include "graph/layout/space.h"

#include "graph/ir/reach.h"

struct spacing {
	struct layout_space *space;
	const struct function *main;
	const bool *needed;
	struct names seen;		/* key of a DAG, to index of tasks */
	struct graph *transforms;	/* has nothing but functions of the identity */
};

int layout_store(const struct type *t, enum layout_manner manner, int lanes)
{
	if (manner == MANNER_NHWC)
		return storage_fits(t, STORE_NHWC) ? STORE_NHWC : STORE_NCHW;
	for (int block = lanes; manner == MANNER_BLOCKED && block >= lanes / 2 && block > 1;
	     block /= 2)
		if (storage_fits(t, block))
			return block;
	return STORE_NCHW;
}

int layout_image_place(const struct layout_image *x, int64_t store)
{
	for (int i = 0; i < x->n; i++)
		if (x->store[i] == store)
			return i;
	return -1;
}

static int add_task(struct spacing *s, const struct cut_dag *c)
{
	struct model_task t = { .op = c->op, .shape = c->shape, .dag = c->dag };
	struct arena *a = s->space->arena;
	char hex[HASH_TEXT];

	t.key = dag_key(c->dag);
	t.flop = dag_flop(c->dag);
	const char *name = arena_strdup(a, hash_text(t.key, hex));

	if (names_add(a, &s->seen, name, s->space->tasks.n))
		vec_push(a, &s->space->tasks, t);
	return names_get(&s->seen, name, -1);
}

/* --- nodes */

/* Is operand I of B an image that B's function may take in another storage? */
static bool is_image(const struct spacing *s, const struct binding *b, int i, int rank)
{
	const struct type *t = b->args[i] < 0 ? &type_unknown
					      : function_at(s->main, b->args[i])->type;

	return t->kind == TYPE_TENSOR && t->rank == rank && storage_fits(t, STORE_NHWC) &&
	       !function_const(s->main, b->args[i]);
}

/* The rank of the images of B: the largest among operands and result; 0 where it has none. */
static int image_rank(const struct spacing *s, const struct binding *b)
{
	int rank = storage_fits(b->type, STORE_NHWC) ? b->type->rank : 0;

	for (int i = 0; i < b->nargs; i++) {
		const struct type *t = b->args[i] < 0 ? &type_unknown
						      : function_at(s->main, b->args[i])->type;

		if (t->rank > rank && is_image(s, b, i, t->rank))
			rank = t->rank;
	}
	return rank;
}

/* The storages of B's operands and result in MANNER; NULL where all are plain. */
static int64_t *stored_in(const struct spacing *s, const struct binding *b, int rank,
			  enum layout_manner manner)
{
	int64_t *stored = arena_many(s->space->arena, int64_t, b->nargs + 1);
	int64_t most = STORE_NCHW;

	for (int i = 0; i < b->nargs; i++)
		if (is_image(s, b, i, rank))
			stored[i] = layout_store(function_at(s->main, b->args[i])->type, manner,
						 s->space->lanes);
	if (b->type->rank == rank)
		stored[b->nargs] = layout_store(b->type, manner, s->space->lanes);
	for (int i = 0; i <= b->nargs; i++)
		most = stored[i] > most ? stored[i] : most;
	return most == STORE_NCHW && manner != MANNER_NCHW ? NULL : stored;
}

static void add_node(struct spacing *s, int value)
{
	struct layout_space *space = s->space;
	const struct binding *b = function_at(s->main, value);
	const struct function *fused = space->graph->functions.at[b->function];
	struct cut_dag plain = cut_apply(space->arena, space->graph, s->main, value);
	struct layout_node node = { .value = value };
	int rank = image_rank(s, b);

	for (int m = 0; plain.dag && m < MANNER_COUNT; m++) {
		const int64_t *stored = stored_in(s, b, rank, (enum layout_manner)m);
		struct cut_dag c = plain;

		if (!stored)
			continue;
		if (m != MANNER_NCHW)
			c = variant_cut(space->arena, &plain, fused, stored);
		if (c.dag)
			node.state[node.nstates++] = (struct layout_state){
				(enum layout_manner)m, stored, add_task(s, &c) };
	}
	if (node.nstates == 0)
		return;
	space->node_of[value] = space->nodes.n;
	vec_push(space->arena, &space->nodes, node);
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

/* --- images */

static void add_store(struct layout_image *x, int64_t store)
{
	if (layout_image_place(x, store) < 0)
		x->store[x->n++] = (int)store;
}

/* The storages that some state takes or gives each value in. */
static void add_stores(struct spacing *s)
{
	struct layout_space *space = s->space;

	for (int v = 0; v < s->main->bindings.n; v++)
		add_store(&space->images[v], STORE_NCHW);
	for (int i = 0; i < space->nodes.n; i++) {
		const struct layout_node *n = &space->nodes.at[i];
		const struct binding *b = function_at(s->main, n->value);

		for (int k = 0; k < n->nstates; k++) {
			for (int j = 0; j < b->nargs; j++)
				if (b->args[j] >= 0)
					add_store(&space->images[b->args[j]], n->state[k].stored[j]);
			add_store(&space->images[n->value], n->state[k].stored[b->nargs]);
		}
	}
}

static int transform_task(struct spacing *s, const struct type *t, int from, int to)
{
	int identity = variant_identity(s->transforms, t);
	const struct function *f = s->transforms->functions.at[identity];
	struct cut_group group = { .function = f, .members = f->results, .nmembers = 1 };
	struct cut_dag plain = cut_group(s->space->arena, &group);
	const int64_t stored[] = { from, to };
	struct cut_dag c = variant_cut(s->space->arena, &plain, f, stored);

	return add_task(s, &c);
}

static void add_transforms(struct spacing *s, int value)
{
	struct layout_image *x = &s->space->images[value];
	const struct type *t = function_at(s->main, value)->type;

	for (int i = 0; i < x->n; i++)
		for (int j = 0; j < x->n; j++)
			x->transform[i][j] = i == j || storage_same(t, x->store[i], x->store[j])
						     ? -1
						     : transform_task(s, t, x->store[i], x->store[j]);
}

struct layout_space *layout_space_new(struct arena *a, const struct graph *g, int lanes)
{
	const struct function *main = graph_main(g);
	struct layout_space *space = arena_one(a, struct layout_space);
	struct spacing s = { .space = space, .main = main, .needed = function_needed(a, main),
			     .transforms = graph_new(a, "transforms") };

	*space = (struct layout_space){
		.arena = a,
		.graph = g,
		.lanes = lanes,
		.node_of = arena_many(a, int, main->bindings.n),
		.images = arena_many(a, struct layout_image, main->bindings.n),
	};
	for (int v = 0; v < main->bindings.n; v++)
		space->node_of[v] = -1;
	bool any = has_windows(g);

	for (int v = main->nparams; any && v < main->bindings.n; v++)
		if (s.needed[v] && is_application(g, function_at(main, v)))
			add_node(&s, v);
	add_stores(&s);
	for (int v = 0; v < main->bindings.n; v++)
		add_transforms(&s, v);
	return space;
}
