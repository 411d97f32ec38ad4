/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/indices/cuts.c - comparisons of linear forms, solved for one axis. */
#include "schedule/pass/indices/cuts.h"

#include "base/integer.h"
#include "schedule/mask.h"
#include "te/index/index.h"

static void add_cut(struct cuts *c, int64_t at)
{
	int i = 0;

	if (at <= c->axis->lo || at >= c->axis->hi)
		return;
	while (i < c->n && c->at[i] < at)
		i++;
	if ((i < c->n && c->at[i] == at) || c->n == MAX_CUTS)
		return;
	for (int j = c->n++; j > i; j--)
		c->at[j] = c->at[j - 1];
	c->at[i] = at;
}

struct outer_search {
	const struct cuts *cuts;
	bool found;
};

static bool find_outer(const struct expr *e, void *user)
{
	struct outer_search *s = user;

	if (e->kind != EXPR_AXIS)
		return !s->found;
	for (int i = 0; i < s->cuts->inner.n; i++)
		if (s->cuts->inner.at[i] == e->axis)
			return true;
	s->found = true;
	return false;
}

/* True where all axes of E are bound inside the loop. */
static bool is_inner(const struct cuts *c, const struct expr *e)
{
	struct outer_search s = { c, false };

	expr_visit(e, find_outer, &s);
	return !s.found;
}

/* The points at which coef * axis + rest >= 0 becomes certain, or certainly false. */
static void cut_comparison(struct cuts *c, const struct expr *e)
{
	struct linear l;

	if (e->arg[0]->dtype != DTYPE_I64 || !expr_uses_axis(e, c->axis) ||
	    !linear_from(c->a, e->arg[1], &l) || !linear_add_expr(c->a, &l, e->arg[0], -1))
		return;
	int64_t coef = linear_coef(&l, c->axis);
	struct range rest = { l.constant - (e->kind == EXPR_LT), l.constant - (e->kind == EXPR_LT) };

	if (coef == 0)
		return;
	for (int i = 0; i < l.n; i++) {
		if (l.term[i].atom->kind == EXPR_AXIS && l.term[i].atom->axis == c->axis)
			continue;
		if (!is_inner(c, l.term[i].atom))
			return;		/* an outer loop decides */
		rest = range_add(rest, term_range(&l, i));
	}
	if (coef > 0) {
		add_cut(c, ceil_div(-rest.lo, coef));
		add_cut(c, ceil_div(-rest.hi, coef));
	} else {
		add_cut(c, floor_div(rest.lo, -coef) + 1);
		add_cut(c, floor_div(rest.hi, -coef) + 1);
	}
}

static bool cut_expr(const struct expr *e, void *user)
{
	struct cuts *c = user;

	if (e->kind == EXPR_LT || e->kind == EXPR_LE)
		cut_comparison(c, e);
	return e->compares && (e->axes & axis_bit(c->axis));
}

static void find_locals(struct cuts *c, const struct nest *n)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC)
			vec_push(c->a, &c->locals, n->buffer);
		find_locals(c, n->body);
		find_locals(c, n->other);
	}
}

/* Are all stores of node N to buffers that are allocated inside the loop? */
static bool stays_inside(const struct cuts *c, const struct nest *n)
{
	if (n->kind == NEST_STORE) {
		for (int i = 0; i < c->locals.n; i++)
			if (n->buffer == c->locals.at[i])
				return true;
		return false;
	}
	for (const struct nest *m = n->body; m; m = m->next)
		if (!stays_inside(c, m))
			return false;
	for (const struct nest *m = n->other; m; m = m->next)
		if (!stays_inside(c, m))
			return false;
	return true;
}

/* Does node N do no more than fill buffers of the loop's body, without reducing? */
static bool only_fills(struct cuts *c, const struct nest *n)
{
	if (!n->fills)
		return false;
	if (!c->knows_locals)
		find_locals(c, c->body);
	c->knows_locals = true;
	return stays_inside(c, n);
}

/* The term of a reduction that is left out in some turns costs a jump there: that is no reason to split
 * the reduction. Nor is a guard to be split for anything but lanes of a store, which would be a jump each. */
static bool stays(const struct cuts *c, const struct nest *n)
{
	if (c->of == CUTS_OF_LANES)
		return n->kind != NEST_IF || !c->lanes || !expr_uses_axis(n->value, c->lanes);
	return n->guard == GUARD_LOOP || (n->guard == GUARD_TILE && c->axis->reduce);
}

static bool is_masked(const struct cuts *c, const struct nest *n)
{
	return c->of != CUTS_OF_ALL && n->border != BORDER_PARTITION && n->kind == NEST_LOOP &&
	       n->annotation == ANNOTATION_VECTOR && mask_serves(c->a, c->target, n->body, n->axis);
}

/* What fills a local buffer keeps its conditions: they are checked once for many uses, and copies of
 * all that uses the buffer would be a high price for dropping them. */
void cuts_find(struct cuts *c, const struct nest *n)
{
	const struct axis *lanes = c->lanes;

	for (; n; n = n->next, c->lanes = lanes) {
		if (!(n->compared & axis_bit(c->axis)) || only_fills(c, n) || is_masked(c, n))
			continue;
		if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR)
			c->lanes = n->axis;
		if (n->value && n->value->compares && !stays(c, n))
			expr_visit_once(n->value, cut_expr, c);
		if (n->axis)
			vec_push(c->a, &c->inner, n->axis);
		cuts_find(c, n->body);
		cuts_find(c, n->other);
		c->inner.n -= n->axis != NULL;
	}
}

static bool has_cuts(const struct cuts *c, struct nest *n)
{
	struct cuts own = { .a = c->a, .target = c->target, .axis = c->axis, .body = c->body,
			    .of = c->of };
	struct nest *next = n->next;

	n->next = NULL;
	cuts_find(&own, n);
	n->next = next;
	return own.n > 0;
}

struct nest **cuts_part(const struct cuts *c, struct nest **list)
{
	struct nest **part = NULL, **deeper = NULL;
	bool others = false;

	for (struct nest **hole = list; *hole; hole = &(*hole)->next) {
		bool cut = has_cuts(c, *hole);

		if (cut && part)
			return NULL;
		part = cut ? hole : part;
		others |= !cut && (*hole)->stores > 0;
	}
	if (part && (*part)->axis && (*part)->annotation < ANNOTATION_VECTOR)
		deeper = cuts_part(c, &(*part)->body);
	return deeper ? deeper : others ? part : NULL;
}
