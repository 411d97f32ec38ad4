/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/write.c - main, of integers where the plan has them.
 *
 * Each value of integers has its number as well, cast f32(q) * scale, for whoever reads that; where nobody does,
 * it is dropped with all else that is not needed. */
#include <math.h>

#include "base/err.h"
#include "graph/ir/reach.h"
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"
#include "graph/quantize/build.h"
#include "graph/quantize/integer/closed.h"
#include "graph/quantize/scheme.h"

struct integer_writer {
	const struct quant *quant;
	const struct integer_plan *plan;
	int *made;	/* by value of main, its integers; VALUE_NONE: not yet */
	int *after;	/* struct quantized's */
};

/* The integers of VALUE of main: made of integers, or rounded here and now. */
static int integers_of(struct rewrite *x, int value)
{
	struct integer_writer *w = x->user;
	const struct origin *origin = x->builder->origin;

	x->builder->origin = function_at(x->function, value)->origin;	/* who rounds is who gives it, not who reads it first */
	if (w->made[value] == VALUE_NONE)
		w->made[value] = quant_build_round(x->builder, x->value[value], integer_grid(w->plan, value));
	x->builder->origin = origin;
	return w->made[value];
}

static int numbers_of(struct builder *b, int q, struct quant_grid grid)
{
	return build(b, &core_mul, quant_build_cast(b, q, ELEMENT_F32),
		     build_scalar(b, ELEMENT_F32, (double)grid.scale));
}

/* Sums of C's site, scaled, with the bias and a half. */
static int build_site(struct rewrite *x, const struct integer_chain *c)
{
	const struct integer_writer *w = x->user;
	const struct quant_site *s = &w->quant->sites.at[c->site];
	const struct binding *call = function_at(x->function, s->value);
	struct builder *b = x->builder;
	int rank = call->type->rank, z = quant_build_sums(b, call, s, integers_of(x, s->data), &c->scale.weight);

	z = build(b, &core_mul, z, quant_build_by_channel(b, ELEMENT_I32, s, rank, c->scale.by));
	return build(b, &core_add, z, quant_build_by_channel(b, ELEMENT_I32, s, rank, c->scale.add));
}

static int build_terms(struct rewrite *x, const struct integer_chain *c)
{
	struct builder *b = x->builder;
	int z = integer_build_scaled(b, integers_of(x, c->term[0]), c->scale.term[0]);

	z = build(b, &core_add, z, integer_build_scaled(b, integers_of(x, c->term[1]), c->scale.term[1]));
	return build(b, &core_add, z, build_scalar(b, ELEMENT_I32, ldexp(1, c->scale.shift - 1)));
}

/* The integers at the end of C. */
static int build_chain(struct rewrite *x, const struct integer_chain *c)
{
	const struct integer_writer *w = x->user;
	struct quant_grid grid = integer_grid(w->plan, c->end);
	struct builder *b = x->builder;
	const struct origin *origin = b->origin;

	if (c->site >= 0)	/* what is said of the node is said of its sums */
		b->origin = function_at(x->function, w->quant->sites.at[c->site].value)->origin;
	int z = c->site < 0 ? build_terms(x, c) : build_site(x, c);

	b->origin = origin;
	if (c->site >= 0 && c->nterms > 0)
		z = build(b, &core_add, z,
			  integer_build_scaled(b, integers_of(x, c->term[0]), c->scale.term[0]));
	return integer_build_narrow(b, z, c->scale.shift, integer_bound(c->low, grid), integer_bound(c->high, grid));
}

/* What leaves as sums. */
static int build_open(struct rewrite *x, const struct integer_chain *c)
{
	const struct integer_writer *w = x->user;
	const struct quant_site *s = &w->quant->sites.at[c->site];

	return quant_build_numbers(x->builder, function_at(x->function, s->value), s, integers_of(x, s->data),
				   &c->scale.weight);
}

/* The operands of OF for integers: the first N are. */
static int *integer_args(struct rewrite *x, const struct binding *of, const int *args, int n)
{
	int *with = arena_memdup(x->builder->arena, args, sizeof(*args) * (size_t)of->nargs);

	for (int i = 0; i < n; i++)
		with[i] = integers_of(x, of->args[i]);
	return with;
}

static int build_integers(struct rewrite *x, int value, const int *args)
{
	const struct integer_writer *w = x->user;
	const struct integer_value *at = &w->plan->at[value];
	const struct binding *of = function_at(x->function, value);

	switch (at->kind) {
	case INTEGER_END:
		return build_chain(x, &w->plan->chains.at[at->chain]);
	case INTEGER_SAME:
		return integer_build_same(x->builder, x->function, of, integer_args(x, of, args, 1),
					  integer_grid(w->plan, value), w->plan->at[of->args[0]].positive);
	case INTEGER_JOIN:
		return build_copy(x->builder, of, integer_args(x, of, args, of->nargs), NULL);
	case INTEGER_MEAN:
		return integer_build_mean(x->builder, of, integer_args(x, of, args, 1), &at->mean);
	case INTEGER_NONE:
	case INTEGER_INSIDE:
		break;
	}
	return VALUE_FAILED;
}

static int replace(struct rewrite *x, int value, const int *args)
{
	struct integer_writer *w = x->user;
	const struct integer_value *at = &w->plan->at[value];
	const struct integer_chain *c = at->chain < 0 ? NULL : &w->plan->chains.at[at->chain];
	int numbers;

	if (x->function != graph_main(x->from) || at->kind == INTEGER_NONE)
		return REWRITE_COPY;
	if (at->kind == INTEGER_INSIDE)
		return VALUE_NONE;
	if (c && c->open) {
		numbers = build_open(x, c);
	} else {
		w->made[value] = build_integers(x, value, args);
		numbers = numbers_of(x->builder, w->made[value], integer_grid(w->plan, value));
	}
	if (c && c->site >= 0)
		w->after[c->site] = numbers;
	return numbers;
}

static int *filled(struct arena *a, int n)
{
	int *at = arena_many(a, int, n);

	for (int i = 0; i < n; i++)
		at[i] = VALUE_NONE;
	return at;
}

int integers_apply(const struct quant *q, struct quantized *out)
{
	struct arena *scratch = arena_new(), *a = q->arena;
	const struct integer_plan *p = q->integers;
	int *before = filled(a, q->sites.n);
	struct integer_writer w = { .quant = q, .plan = p, .made = filled(scratch, p->main->bindings.n),
				    .after = filled(a, q->sites.n) };

	for (int i = 0; i < p->chains.n; i++)
		if (p->chains.at[i].site >= 0 && !p->chains.at[i].why)
			before[p->chains.at[i].site] = p->chains.at[i].end;
	struct graph *g = rewrite_graph(a, q->graph, &(struct rewriter){ .binding = replace, .user = &w });

	*out = (struct quantized){ .raw = g, .before = before, .after = w.after };
	if (g)
		out->graph = rewrite_graph(a, g, &(struct rewriter){ .keep = graph_reached(a, g) });
	arena_free(scratch);
	return out->graph ? 0 : -1;
}
