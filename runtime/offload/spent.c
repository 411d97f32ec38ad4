/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/spent.c - costs of bindings by what kind of thing ran. */
#include "runtime/offload/spent.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/explain.h"
#include "runtime/offload/told.h"

enum spent_part { PART_NONE, PART_HOST, PART_GENERATORS, PART_TOLD, PART_MOVES, PART_INTERPRETER, PARTS };

/* What a binding is part of, and what a run of it is told to take. */
struct spent_on {
	enum spent_part part;
	struct hone_cost told;
};

struct spent_on_vec VEC(struct spent_on);

struct spending {
	struct arena *arena;
	const struct model_code *code;
	const struct session *session;
	struct spent_on_vec on;	/* by cost: their list only grows */
	double before[PARTS];	/* seconds */
	struct hone_cost told_before;
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

/* What computes the binding of C for a generator; NULL: it does not. */
static const struct foreign *foreign_of(const struct model_code *code, const struct session_cost *c)
{
	const struct flat *list = code->flats[c->function];
	const struct function *in = code->graph->functions.at[c->function];

	for (int i = 0; list && i < list->steps.n; i++)
		if (function_at(in, list->steps.at[i].value) == c->binding)
			return list->steps.at[i].kind == FLAT_FOREIGN ? list->steps.at[i].foreign : NULL;
	return c->binding->kind == BIND_APPLY ? code_foreign(code, c->binding->function) : NULL;
}

static struct hone_cost told_of(const struct model_code *code, const struct session_cost *c)
{
	const struct foreign *foreign = foreign_of(code, c);

	return foreign ? foreign_cost(foreign) : (struct hone_cost){ 0 };
}

/* What C is part of, unless it is told; of what the interpreter applies the parts are there by themselves. */
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
	struct hone_cost told = { 0 };

	for (int i = x->on.n; i < costs->n; i++) {
		const struct hone_cost cost = told_of(x->code, &costs->at[i]);
		enum spent_part part = cost_us(cost) > 0 ? PART_TOLD : part_of(x->code, &costs->at[i]);

		vec_push(x->arena, &x->on, (struct spent_on){ part, cost });
	}
	for (int i = 0; i < costs->n; i++) {
		now[x->on.at[i].part] += costs->at[i].seconds;
		told = cost_add(told, cost_times(x->on.at[i].told, (double)costs->at[i].runs));
	}
	for (int i = 0; i < PARTS; i++) {
		us[i] = (now[i] - x->before[i]) * 1e6;
		x->before[i] = now[i];
	}
	const struct hone_cost since = cost_add(told, cost_times(x->told_before, -1));

	x->told_before = told;
	return (struct run_spent){ .run = run - us[PART_TOLD] + cost_us(since), .host = us[PART_HOST],
				   .generators = us[PART_GENERATORS] + cost_us(since), .told = since,
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
		sum.told = cost_add(sum.told, cost_times(at[i].told, 1.0 / (end - first)));
		sum.moves += at[i].moves / (end - first);
		sum.interpreter += at[i].interpreter / (end - first);
	}
	return sum;
}
