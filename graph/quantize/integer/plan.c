/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/plan.c - chains of sites, then forward what integers are made into, then backward what
 * is worth it. */
#include "graph/quantize/integer/plan.h"

#include <math.h>

#include "graph/ir/op.h"
#include "graph/ir/reach.h"
#include "graph/quantize/integer/closed.h"

bool integer_may_be(const struct function *f, int value)
{
	const struct binding *b = value < 0 ? NULL : function_at(f, value);

	return b && b->kind != BIND_CONST && type_is_tensor(b->type) && b->type->element == ELEMENT_F32 &&
	       type_is_static(b->type) && type_count(b->type) > 0;
}

int integer_like(const struct integer_plan *p, int v)
{
	while (p->at[v].like != v)
		v = p->at[v].like;
	return v;
}

struct quant_grid integer_grid(const struct integer_plan *p, int value)
{
	return p->grid[integer_like(p, value)];
}

struct integer_count integer_count(const struct integer_plan *p)
{
	struct arena *scratch = arena_new();
	const bool *needed = function_needed(scratch, p->main);
	struct integer_count n = { 0, 0 };

	for (int v = 0; v < p->main->bindings.n; v++) {
		bool call = function_at(p->main, v)->kind == BIND_CALL && integer_may_be(p->main, v);

		n.all += call && needed[v];
		n.made += call && needed[v] && p->at[v].kind != INTEGER_NONE;
	}
	arena_free(scratch);
	return n;
}

/* By value of F, the call that alone reads it; VALUE_NONE. */
static int *lone_readers(struct arena *a, const struct function *f, const bool *needed)
{
	const int *uses = function_needed_uses(a, f, needed);
	int *reader = arena_many(a, int, f->bindings.n);

	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		reader[v] = VALUE_NONE;
		for (int i = 0; i < b->nargs && needed[v] && b->kind == BIND_CALL; i++)
			if (b->args[i] >= 0 && uses[b->args[i]] == 1)
				reader[b->args[i]] = v;
	}
	return reader;
}

/* --- chains */

static void begin_chain(struct arena *a, struct integer_plan *p, const int *reader, struct integer_chain c)
{
	int chain = p->chains.n;

	c.low = -INFINITY;
	c.high = INFINITY;
	vec_push(a, &p->chains, c);
	p->at[c.end].kind = INTEGER_END;
	p->at[c.end].chain = chain;
	integer_chain_grow(p, reader, chain);
}

/* The last first: of two sums that are added to each other the later takes the other in, which is there by then. */
static void begin_sites(struct arena *a, struct integer_plan *p, const int *reader,
			const struct quant_site_vec *sites)
{
	for (int i = sites->n - 1; i >= 0; i--) {
		const struct quant_site *s = &sites->at[i];

		if (s->why)
			continue;
		p->at[s->value].kind = INTEGER_INSIDE;
		p->at[s->value].chain = p->chains.n;
		begin_chain(a, p, reader, (struct integer_chain){ .site = i, .end = s->out });
	}
}

/* --- forward */

static bool is_made(const struct integer_plan *p, int value)
{
	return value >= 0 && p->at[value].kind != INTEGER_NONE && p->at[value].kind != INTEGER_INSIDE;
}

/* May all operands of B be integers, and are some of them? */
static bool joins_made(const struct integer_plan *p, const struct binding *b)
{
	bool some = false;

	for (int i = 0; i < b->nargs; i++) {
		if (!integer_may_be(p->main, b->args[i]))
			return false;
		some |= is_made(p, b->args[i]);
	}
	return some;
}

static void look_at(struct arena *a, struct integer_plan *p, const int *reader, int v)
{
	const struct binding *b = function_at(p->main, v);

	if (b->kind != BIND_CALL || p->at[v].kind != INTEGER_NONE || !integer_may_be(p->main, v))
		return;
	if (b->op == &core_add && joins_made(p, b))
		begin_chain(a, p, reader, (struct integer_chain){ .site = -1, .end = v, .nterms = 2,
								  .term = { b->args[0], b->args[1] } });
	else if (b->op == &core_concat && joins_made(p, b))
		p->at[v].kind = INTEGER_JOIN;
	else if (b->nargs > 0 && is_made(p, b->args[0]) && integer_mean_count(a, p->main, b) > 0)
		p->at[v].kind = INTEGER_MEAN;
	else if (b->nargs > 0 && is_made(p, b->args[0]) &&
		 (integer_moves(p->main, b) || integer_picks(p->main, b)))
		p->at[v].kind = INTEGER_SAME;
}

/* --- backward */

static void want_all(struct integer_plan *p, const int *values, int n)
{
	for (int i = 0; i < n; i++)
		p->at[values[i]].wanted = true;
}

static void want_of_chain(struct integer_plan *p, const struct quant_site_vec *sites, struct integer_chain *c)
{
	bool bounded = c->low > -INFINITY || c->high < INFINITY;

	want_all(p, c->term, c->nterms);
	if (c->site < 0)
		return;
	p->at[sites->at[c->site].data].wanted = true;
	c->open = c->nterms == 0 && !bounded && !p->at[c->end].wanted;
}

/* What only moves is floats where only floats read it: then sums become floats before it. */
static void look_back(struct integer_plan *p, const struct quant_site_vec *sites, int v)
{
	const struct binding *b = function_at(p->main, v);
	struct integer_value *at = &p->at[v];

	switch (at->kind) {
	case INTEGER_NONE:
	case INTEGER_INSIDE:
		return;
	case INTEGER_END:
		want_of_chain(p, sites, &p->chains.at[at->chain]);
		return;
	case INTEGER_SAME:
	case INTEGER_JOIN:
		if (!at->wanted && (at->kind == INTEGER_JOIN || integer_moves(p->main, b)))
			at->kind = INTEGER_NONE;
		else
			want_all(p, b->args, at->kind == INTEGER_JOIN ? b->nargs : 1);
		return;
	case INTEGER_MEAN:
		want_all(p, b->args, 1);
		return;
	}
}

/* --- grids that are one */

static bool is_positive(const struct integer_plan *p, int v)
{
	const struct binding *b = function_at(p->main, v);

	switch (p->at[v].kind) {
	case INTEGER_NONE:
	case INTEGER_INSIDE:
		return false;
	case INTEGER_END:
		return p->chains.at[p->at[v].chain].low >= 0;
	case INTEGER_SAME:
		return p->at[b->args[0]].positive || integer_is_bounded_by_0(p->main, b);
	case INTEGER_JOIN:
		for (int i = 0; i < b->nargs; i++)
			if (!p->at[b->args[i]].positive)
				return false;
		return true;
	case INTEGER_MEAN:
		return p->at[b->args[0]].positive;
	}
	return false;
}

static void liken(struct integer_plan *p, int v)
{
	const struct binding *b = function_at(p->main, v);
	int n = p->at[v].kind == INTEGER_JOIN ? b->nargs : p->at[v].kind == INTEGER_SAME ? 1 : 0;

	for (int i = 0; i < n; i++)
		p->at[integer_like(p, b->args[i])].like = integer_like(p, v);
	p->at[v].positive = is_positive(p, v);
}

struct integer_plan *integer_plan_new(struct arena *a, const struct graph *g, const struct quant_site_vec *sites)
{
	struct integer_plan *p = arena_one(a, struct integer_plan);
	const struct function *f = graph_main(g);
	struct arena *scratch = arena_new();
	const bool *needed = function_needed(scratch, f);
	const int *reader = lone_readers(scratch, f, needed);
	int n = f->bindings.n;

	*p = (struct integer_plan){ .main = f, .at = arena_many(a, struct integer_value, n),
				    .grid = arena_many(a, struct quant_grid, n) };
	for (int v = 0; v < n; v++)
		p->at[v] = (struct integer_value){ .chain = -1, .like = v, .tensor = -1 };
	begin_sites(a, p, reader, sites);
	for (int v = f->nparams; v < n; v++)
		if (needed[v])
			look_at(a, p, reader, v);
	for (int v = n - 1; v >= f->nparams; v--)
		look_back(p, sites, v);
	for (int v = f->nparams; v < n; v++)
		liken(p, v);
	arena_free(scratch);
	return p;
}
