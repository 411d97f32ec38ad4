/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/join.c - one function of two, and the states that have it. */
#include "graph/layout/join.h"

#include "graph/task/fused.h"

/* Two functions, of which the second alone reads what the first gives. */
struct joined_pair {
	struct spacing *spacing;
	int node[2];
	struct value_vec args;	/* of both together, each once */
};

static const struct binding *application(const struct joined_pair *x, int i)
{
	return spacing_application(x->spacing, x->node[i]);
}

/* What the first gives. */
static int passed_on(const struct joined_pair *x)
{
	return x->spacing->space->nodes.at[x->node[0]].value;
}

/* The parameters that stand for the arguments of function I, in X's order; VALUE for what the first gives. */
static int *inner_args(struct joined_pair *x, int i, int value)
{
	const struct binding *b = application(x, i);
	int *args = arena_many(x->spacing->space->arena, int, b->nargs);

	for (int j = 0; j < b->nargs; j++)
		args[j] = b->args[j] == passed_on(x) ? value : value_vec_find(&x->args, b->args[j]);
	return args;
}

static void add_args(struct joined_pair *x, struct builder *inner, int i)
{
	const struct binding *b = application(x, i);

	for (int j = 0; j < b->nargs; j++) {
		if (b->args[j] == passed_on(x) || value_vec_find(&x->args, b->args[j]) >= 0)
			continue;
		vec_push(x->spacing->space->arena, &x->args, b->args[j]);
		build_param(inner, "", function_at(x->spacing->main, b->args[j])->type);
	}
}

/* Both as one function. */
static int joined(struct joined_pair *x)
{
	struct graph *g = x->spacing->space->graph;
	const struct binding *p = application(x, 0), *c = application(x, 1);
	struct builder b = builder_begin(g, arena_printf(g->arena, "%s_%s",
							 g->functions.at[p->function]->name,
							 g->functions.at[c->function]->name));

	b.plain = true;
	add_args(x, &b, 0);
	add_args(x, &b, 1);
	int y = build_inline(&b, p->function, p->nargs, inner_args(x, 0, VALUE_NONE));

	y = build_inline(&b, c->function, c->nargs, inner_args(x, 1, y));
	int index = builder_end(&b, 1, &y);

	if (index != FUNCTION_NONE)
		fused_mark(g, index);
	return index;
}

/* The usual tasks of both in MANNER; false where one has none. */
static bool find_like(const struct joined_pair *x, enum layout_manner manner, struct layout_likeness *out)
{
	for (int i = 0; i < 2; i++) {
		int task = spacing_usual(x->spacing, x->node[i], manner);

		if (task < 0)
			return false;
		vec_push(x->spacing->space->arena, &out->tasks, task);
	}
	return true;
}

static void add_states(struct spacing *s, int producer, int consumer, bool spares_image)
{
	struct joined_pair x = { .spacing = s, .node = { producer, consumer } };
	int function = joined(&x), pact = spacing_pact(s);
	int64_t spared = spares_image ? type_bytes(spacing_type(s, passed_on(&x))) : 0;
	bool any = false;

	for (int m = 0; m < MANNER_COUNT && function != FUNCTION_NONE; m++) {
		struct state_maker state = state_begin(s, (enum layout_manner)m, pact);
		struct layout_likeness like = { .spared = spared };

		if (!find_like(&x, (enum layout_manner)m, &like))
			continue;
		state_kernel(&state, function, x.args.n, x.args.at);
		any |= state_end(&state, consumer, &like);
	}
	struct state_maker absorbed = state_begin(s, MANNER_NCHW, pact);

	if (any)
		state_end(&absorbed, producer, &(struct layout_likeness){ 0 });
}

void layout_join(struct spacing *s, const struct joinable *which)
{
	for (int i = 0; i < s->space->nodes.n; i++) {
		const struct binding *b = spacing_application(s, i);

		for (int j = 0; j < b->nargs; j++) {
			int v = b->args[j];
			int producer = v < 0 ? -1 : s->space->node_of[v];

			if (producer >= 0 && s->uses[v] == 1 &&
			    which->may(spacing_function(s, producer), spacing_function(s, i)))
				add_states(s, producer, i, which->spares_image);
		}
	}
}
