/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/spent.c - costs of bindings by what kind of thing ran. */
#include "runtime/offload/spent.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/explain.h"

enum spent_part { PART_NONE, PART_HOST, PART_GENERATORS, PART_MOVES, PART_INTERPRETER, PARTS };

struct spent_part_vec VEC(enum spent_part);

struct spending {
	struct arena *arena;
	const struct model_code *code;
	const struct session *session;
	struct spent_part_vec parts;	/* by cost: their list only grows */
	double before[PARTS];	/* seconds */
};

double run_spent_rest(const struct run_spent *x)
{
	return x->run - x->host - x->generators - x->moves - x->interpreter;
}

struct spending *spending_new(struct arena *a, const struct model_code *code, const struct session *s)
{
	struct spending *x = arena_one(a, struct spending);

	*x = (struct spending){ .arena = a, .code = code, .session = s };
	return x;
}

/* What C is part of; of what the interpreter applies the parts are told by themselves. */
static enum spent_part part_of(const struct model_code *code, const struct session_cost *c)
{
	const struct function *applied = graph_applied(code->graph, c->binding);
	enum choice_origin origin;
	bool host = choice_origin_parse(c->by, &origin);

	if (strcmp(c->by, "copy") == 0)
		return PART_MOVES;
	if (host && origin == CHOICE_NONE)
		return c->binding->kind == BIND_CALL ? PART_INTERPRETER : PART_NONE;
	if (applied && explain_moves(applied))
		return PART_MOVES;
	return host ? PART_HOST : PART_GENERATORS;
}

struct run_spent spending_next(struct spending *x, double run)
{
	const struct session_cost_vec *costs = session_costs(x->session);
	double now[PARTS] = { 0 }, us[PARTS];

	for (int i = x->parts.n; i < costs->n; i++)
		vec_push(x->arena, &x->parts, part_of(x->code, &costs->at[i]));
	for (int i = 0; i < costs->n; i++)
		now[x->parts.at[i]] += costs->at[i].seconds;
	for (int i = 0; i < PARTS; i++) {
		us[i] = (now[i] - x->before[i]) * 1e6;
		x->before[i] = now[i];
	}
	return (struct run_spent){ .run = run, .host = us[PART_HOST], .generators = us[PART_GENERATORS],
				   .moves = us[PART_MOVES], .interpreter = us[PART_INTERPRETER] };
}

static int by_run(const void *a, const void *b)
{
	const struct run_spent *x = a, *y = b;

	return (x->run > y->run) - (x->run < y->run);
}

struct run_spent run_spent_middle(struct run_spent *at, int n)
{
	int first = n / 4, end = n - n / 4;
	struct run_spent sum = { 0 };

	qsort(at, (size_t)n, sizeof(*at), by_run);
	for (int i = first; i < end; i++) {
		sum.run += at[i].run / (end - first);
		sum.host += at[i].host / (end - first);
		sum.generators += at[i].generators / (end - first);
		sum.moves += at[i].moves / (end - first);
		sum.interpreter += at[i].interpreter / (end - first);
	}
	return sum;
}
