/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/split.c - a fused function as two kernels: a residual add, an activation or whatever
 * else joined the first may be faster by itself. */
#include "graph/layout/spacing.h"

#include "graph/ir/op.h"
#include "graph/task/fused.h"

/* The calls of a fused function, cut in two. */
struct split {
	struct spacing *spacing;
	int node;
	const struct function *f;
	struct value_vec calls;
	int at;				/* of calls, the first of the second part */
};

static const struct binding *call_at(const struct split *x, int i)
{
	return function_at(x->f, x->calls.at[i]);
}

/* Does the second part read, of the first, nothing but what that ends with? */
static bool crosses_once(const struct split *x)
{
	int last = x->calls.at[x->at - 1];

	for (int i = x->at; i < x->calls.n; i++)
		for (int j = 0; j < call_at(x, i)->nargs; j++) {
			int v = call_at(x, i)->args[j];

			if (v >= x->calls.at[0] && v < last && function_at(x->f, v)->kind == BIND_CALL)
				return false;
		}
	return true;
}

/* Is what begins the second part more than arithmetic with weights, which costs no kernel anything? */
static bool is_worth(const struct split *x)
{
	const struct binding *args = spacing_application(x->spacing, x->node), *b = call_at(x, x->at);
	int others = 0, weights = 0;

	for (int i = 0; i < b->nargs; i++) {
		int v = b->args[i];

		if (v < 0 || v == x->calls.at[x->at - 1])
			continue;
		if (function_const(x->f, v) ||
		    (v < x->f->nparams && function_const(x->spacing->main, args->args[v])))
			weights++;
		else
			others++;
	}
	return others > 0 || weights == 0;
}

/* Calls [FROM, TO) as a function; what it takes, as values where FIRST is what the first part gives. */
static int part(struct split *x, int from, int to, struct value_vec *outside)
{
	struct spacing *s = x->spacing;
	struct value_vec members = { .at = &x->calls.at[from], .n = to - from };

	return fused_make(s->space->graph, s->space->arena, x->f, &members, outside);
}

/* The values that are arguments of a part: OUTSIDE of the function are parameters, which are arguments of
 * the application, and what the FIRST part gives. */
static const int *arguments(struct split *x, const struct value_vec *outside, int first)
{
	const struct binding *b = spacing_application(x->spacing, x->node);
	int *args = arena_many(x->spacing->space->arena, int, outside->n);

	for (int i = 0; i < outside->n; i++)
		args[i] = outside->at[i] < x->f->nparams ? b->args[outside->at[i]] : first;
	return args;
}

static void add_states(struct split *x)
{
	struct spacing *s = x->spacing;
	struct value_vec outside[2];
	int part1 = part(x, 0, x->at, &outside[0]);
	int part2 = part(x, x->at, x->calls.n, &outside[1]);

	for (int m = 0; m < MANNER_COUNT && part1 >= 0 && part2 >= 0; m++) {
		struct state_maker state = state_begin(s, (enum layout_manner)m, -1);
		struct layout_likeness like = { 0 };
		int whole = spacing_usual(s, x->node, (enum layout_manner)m);

		if (whole < 0)
			continue;
		vec_push(s->space->arena, &like.tasks, whole);
		int first = state_kernel(&state, part1, outside[0].n, arguments(x, &outside[0], -1));

		state_kernel(&state, part2, outside[1].n, arguments(x, &outside[1], first));
		state_end(&state, x->node, &like);
	}
}

void layout_split(struct spacing *s)
{
	for (int i = 0; i < s->space->nodes.n; i++) {
		const struct function *f = spacing_function(s, i);
		struct split x = { s, i, f, function_calls(s->space->arena, f), 0 };

		for (x.at = 1; x.at < x.calls.n; x.at++)
			if (crosses_once(&x) && is_worth(&x))
				add_states(&x);
	}
}
