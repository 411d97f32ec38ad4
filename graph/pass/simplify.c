/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/simplify.c - algebra: calls that change nothing, or undo each other, are left out.
 *
 * Requires: nothing.
 * Provides: no identity but where a result would lose its name, no x + 0, x * 1, no reshape of a
 *           reshape, no two transposes in a row, ...;
 *           transposes of matrices are flags of the product that reads them.
 * Keeps:    what the graph computes, to the bit but for the sign of zeros. */
#include "graph/pass/simplify.h"

#include "graph/pass/pass.h"

const struct binding *site_call(const struct rule_site *s, int i, const struct core_op *op)
{
	const struct binding *b = s->args[i] < 0 ? NULL : build_at(s->builder, s->args[i]);

	return b && b->kind == BIND_CALL && b->op == op ? b : NULL;
}

bool site_same_type(const struct rule_site *s, int i)
{
	const struct type *t = build_type(s->builder, s->args[i]);

	return type_is_static(t) && type_equal(t, s->type);
}

/* Is operand I the one number V? Not so a vector that happens to be all zeros: which tasks a model
 * has does not depend on the values of its weights. */
static bool is_number(const struct rule_site *s, int i, double v)
{
	const struct array *c = build_array(s->builder, s->args[i]);

	return c && c->count == 1 && element_class(c->element) != ELEMENT_CLASS_STRING &&
	       element_load(c->element, c->data, 0) == v;
}

/* Operand I where operand J is V and broadcasts nothing. */
static int without(const struct rule_site *s, int i, int j, double v)
{
	return site_same_type(s, i) && is_number(s, j, v) ? s->args[i] : REWRITE_COPY;
}

static int plus_zero(const struct rule_site *s)
{
	int x = without(s, 0, 1, 0);

	return x == REWRITE_COPY ? without(s, 1, 0, 0) : x;
}

static int minus_zero(const struct rule_site *s)
{
	return without(s, 0, 1, 0);
}

static int times_one(const struct rule_site *s)
{
	int x = without(s, 0, 1, 1);

	return x == REWRITE_COPY ? without(s, 1, 0, 1) : x;
}

static int by_one(const struct rule_site *s)
{
	return without(s, 0, 1, 1);
}

/* f(f(x)) = x */
static int involution(const struct rule_site *s)
{
	const struct binding *inner = site_call(s, 0, s->call->op);

	return inner ? inner->args[0] : REWRITE_COPY;
}

/* f(f(x)) = f(x) */
static int idempotent(const struct rule_site *s)
{
	return site_call(s, 0, s->call->op) ? s->args[0] : REWRITE_COPY;
}

static int first_operand(const struct rule_site *s)
{
	return s->args[0];
}

static int same_type(const struct rule_site *s)
{
	return site_same_type(s, 0) ? s->args[0] : REWRITE_COPY;
}

static const struct rule_entry rules[] = {
	{ &core_identity, first_operand },
	{ &core_add, plus_zero },
	{ &core_sub, minus_zero },
	{ &core_mul, times_one },
	{ &core_div, by_one },
	{ &core_pow, by_one },
	{ &core_neg, involution },
	{ &core_not, involution },
	{ &core_abs, idempotent },
	{ &core_relu, idempotent },
	{ &core_floor, idempotent },
	{ &core_ceil, idempotent },
	{ &core_round, idempotent },
	{ &core_cast, same_type },
	{ NULL, NULL },
};

static rule_fn *find_rule(const struct rule_entry *table, const struct core_op *op)
{
	while (table->op && table->op != op)
		table++;
	return table->rule;
}

static int simplify(struct rewrite *x, int value, const int *args)
{
	const struct binding *b = function_at(x->function, value);
	struct rule_site s = { x->builder, b, b->type, args };

	if (b->kind != BIND_CALL)
		return REWRITE_COPY;
	rule_fn *rule = find_rule(rules, b->op);

	if (!rule)
		rule = find_rule(move_rules, b->op);
	return rule ? rule(&s) : REWRITE_COPY;
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	return rewrite_graph(a, g, &(struct rewriter){ .binding = simplify });
}

const struct pass pass_simplify = {
	.name = "simplify",
	.summary = "leave out what changes nothing or undoes itself",
	.run = run,
};
