/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/merge.c - two fused functions as one kernel, beyond the rules of fusion: what scales or
 * activates an image joins the convolution that reads it, and a pooling the convolution before it. */
#include "graph/layout/spacing.h"

#include "graph/ir/op.h"
#include "graph/task/fused.h"

/* Two functions, of which the second alone reads what the first gives. */
struct merging {
	struct spacing *spacing;
	int node[2];
	struct value_vec args;	/* of both together, each once */
};

static const struct binding *application(const struct merging *x, int i)
{
	return spacing_application(x->spacing, x->node[i]);
}

/* --- which */

static bool is_pointwise(const struct function *f)
{
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (function_at(f, v)->kind == BIND_CALL && !function_at(f, v)->op->pointwise)
			return false;
	return true;
}

/* Does F gather: is any of its calls more than a way to move elements? */
static bool gathers(const struct function *f)
{
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (function_at(f, v)->kind == BIND_CALL &&
		    function_at(f, v)->op->fusion != FUSION_INJECTIVE)
			return true;
	return false;
}

static bool begins_with_pool(const struct function *f)
{
	const struct binding *head = function_first_call(f);

	return head && (head->op == &core_max_pool || head->op == &core_avg_pool);
}

static bool may_merge(const struct spacing *s, int producer, int consumer)
{
	const struct function *p = spacing_function(s, producer), *c = spacing_function(s, consumer);

	return (is_pointwise(p) && gathers(c)) || (gathers(p) && begins_with_pool(c));
}

/* --- how */

/* The parameters that stand for the arguments of function I, in X's order; VALUE for what PRODUCED. */
static int *inner_args(struct merging *x, int i, int produced, int value)
{
	const struct binding *b = application(x, i);
	int *args = arena_many(x->spacing->space->arena, int, b->nargs);

	for (int j = 0; j < b->nargs; j++)
		args[j] = b->args[j] == produced ? value : value_vec_find(&x->args, b->args[j]);
	return args;
}

static void add_args(struct merging *x, struct builder *inner, int i, int produced)
{
	const struct binding *b = application(x, i);

	for (int j = 0; j < b->nargs; j++) {
		if (b->args[j] == produced || value_vec_find(&x->args, b->args[j]) >= 0)
			continue;
		vec_push(x->spacing->space->arena, &x->args, b->args[j]);
		build_param(inner, "", function_at(x->spacing->main, b->args[j])->type);
	}
}

/* Both as one function. */
static int merged(struct merging *x)
{
	struct graph *g = x->spacing->space->graph;
	const struct binding *p = application(x, 0), *c = application(x, 1);
	int produced = x->spacing->space->nodes.at[x->node[0]].value;
	struct builder b = builder_begin(g, arena_printf(g->arena, "%s_%s",
							 g->functions.at[p->function]->name,
							 g->functions.at[c->function]->name));

	b.plain = true;
	add_args(x, &b, 0, produced);
	add_args(x, &b, 1, produced);
	int y = build_inline(&b, p->function, p->nargs, inner_args(x, 0, produced, VALUE_NONE));

	y = build_inline(&b, c->function, c->nargs, inner_args(x, 1, produced, y));
	int index = builder_end(&b, 1, &y);

	if (index != FUNCTION_NONE)
		fused_mark(g, index);
	return index;
}

static void add_states(struct spacing *s, int producer, int consumer)
{
	struct merging x = { .spacing = s, .node = { producer, consumer } };
	int function = merged(&x), pact = spacing_pact(s);
	bool any = false;

	for (int m = 0; m < MANNER_COUNT && function != FUNCTION_NONE; m++) {
		struct state_maker state = state_begin(s, (enum layout_manner)m, pact);
		struct value_vec like = { 0 };
		int first = spacing_usual(s, producer, (enum layout_manner)m);
		int second = spacing_usual(s, consumer, (enum layout_manner)m);

		if (first < 0 || second < 0)
			continue;
		vec_push(s->space->arena, &like, first);
		vec_push(s->space->arena, &like, second);
		state_kernel(&state, function, x.args.n, x.args.at);
		any |= state_end(&state, consumer, &like);
	}
	struct state_maker absorbed = state_begin(s, MANNER_NCHW, pact);

	if (any)
		state_end(&absorbed, producer, &(struct value_vec){ 0 });
}

void layout_merge(struct spacing *s)
{
	for (int i = 0; i < s->space->nodes.n; i++) {
		const struct binding *b = spacing_application(s, i);

		for (int j = 0; j < b->nargs; j++) {
			int v = b->args[j];
			int producer = v < 0 ? -1 : s->space->node_of[v];

			if (producer >= 0 && s->uses[v] == 1 && may_merge(s, producer, i))
				add_states(s, producer, i);
		}
	}
}
