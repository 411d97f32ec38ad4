/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/check.c - proofs that a program does what it may.
 *
 * A candidate that cannot be proved is dropped: nothing is run on hope. */
#include "schedule/nest.h"
#include "te/index.h"

/* --- bounds */

struct bounds {
	struct arena *scratch;
	struct facts facts;
	const char *why;
};

static bool within(struct bounds *b, const struct expr *e, int64_t lo, int64_t hi)
{
	return index_at_least(b->scratch, e, lo, &b->facts) &&
	       index_at_most(b->scratch, e, hi, &b->facts);
}

static void check_index(struct bounds *b, const struct tensor *t, const struct expr *const *index)
{
	for (int i = 0; i < t->ndim && !b->why; i++)
		if (!within(b, index[i], 0, t->shape[i] - 1))
			b->why = "an access may be out of bounds";
}

static void check_value(struct bounds *b, const struct expr *e)
{
	int known = b->facts.n;

	if (e->kind == EXPR_SELECT) {
		check_value(b, e->arg[0]);
		facts_add(b->scratch, &b->facts, e->arg[0], false);
		check_value(b, e->arg[1]);
		b->facts.n = known;
		facts_add(b->scratch, &b->facts, e->arg[0], true);
		check_value(b, e->arg[2]);
		b->facts.n = known;
		return;
	}
	if (e->kind == EXPR_LOAD) {
		check_index(b, e->tensor, e->index);
		for (int i = 0; i < e->tensor->ndim; i++)
			check_value(b, e->index[i]);
	}
	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		check_value(b, e->arg[i]);
}

static void check_nest(struct bounds *b, const struct nest *n)
{
	for (; n && !b->why; n = n->next) {
		int known = b->facts.n;

		if (n->value)
			check_value(b, n->value);
		if (n->kind == NEST_STORE)
			check_index(b, &n->buffer->tensor, n->index);
		if (n->kind == NEST_LET && !within(b, n->value, n->axis->lo, n->axis->hi - 1))
			b->why = "a let may be out of its range";
		if (n->kind == NEST_IF)
			facts_add(b->scratch, &b->facts, n->value, false);
		check_nest(b, n->body);
		b->facts.n = known;
		if (n->kind == NEST_IF) {
			facts_add(b->scratch, &b->facts, n->value, true);
			check_nest(b, n->other);
			b->facts.n = known;
		}
	}
}

bool check_bounds(const struct program *p, const char **why)
{
	struct bounds b = { .scratch = arena_new() };

	check_nest(&b, p->body);
	arena_free(b.scratch);
	if (b.why)
		*why = b.why;
	return !b.why;
}

/* --- races */

/* What is bound on the way from a parallel loop to a store inside it. */
struct path {
	struct arena *scratch;
	const struct nest *at[64];
	int n;
};

static bool is_bound_inside(const struct path *p, const struct expr *atom)
{
	for (int i = 0; i < p->n; i++)
		if (p->at[i]->axis && expr_uses_axis(atom, p->at[i]->axis))
			return true;
	return false;
}

/* Different values of AXIS give different values of E, whatever the axes inside are. */
static bool separates(const struct path *p, const struct expr *e, const struct axis *axis)
{
	struct linear l;
	struct range rest = { 0, 0 };

	if (!linear_from(p->scratch, e, &l))
		return false;
	int64_t coef = linear_coef(&l, axis);

	for (int i = 0; i < l.n; i++) {
		struct linear one = { .n = 1, .term = { l.term[i] } };
		struct range r = linear_range(&one);

		if (l.term[i].atom->kind == EXPR_AXIS && l.term[i].atom->axis == axis)
			continue;
		if (expr_uses_axis(l.term[i].atom, axis))
			return false;
		if (!is_bound_inside(p, l.term[i].atom))
			continue;	/* has one value in all turns */
		rest.lo += r.lo;
		rest.hi += r.hi;
	}
	return coef != 0 && rest.hi - rest.lo < (coef < 0 ? -coef : coef);
}

/* The store's element tells the value of AXIS: by an index of its own, or because it tells both
 * parts of it. */
static bool tells(const struct path *p, const struct nest *store, const struct axis *axis)
{
	bool quotient = false;
	bool remainder = false;

	if (axis->hi - axis->lo <= 1)
		return true;
	for (int i = 0; i < store->buffer->tensor.ndim; i++)
		if (separates(p, store->index[i], axis))
			return true;
	for (int i = 0; i < p->n; i++) {
		const struct expr *v = p->at[i]->value;

		if (p->at[i]->kind != NEST_LET || expr_kind_arity(v->kind) != 2 ||
		    v->arg[0]->kind != EXPR_AXIS || v->arg[0]->axis != axis)
			continue;
		if (v->kind == EXPR_DIV)
			quotient = tells(p, store, p->at[i]->axis);
		if (v->kind == EXPR_MOD)
			remainder = tells(p, store, p->at[i]->axis);
	}
	return quotient && remainder;
}

static bool is_allocated(const struct path *p, const struct buffer *b)
{
	for (int i = 0; i < p->n; i++)
		if (p->at[i]->kind == NEST_ALLOC && p->at[i]->buffer == b)
			return true;
	return false;
}

static bool check_stores(struct path *p, const struct nest *n, const struct axis *parallel)
{
	int depth = p->n;

	for (; n; n = n->next) {
		int here = p->n;

		if (n->kind == NEST_STORE && !is_allocated(p, n->buffer) &&
		    !tells(p, n, parallel))
			return false;
		if (p->n == 64)
			return false;
		p->at[p->n++] = n;
		if (!check_stores(p, n->body, parallel) || !check_stores(p, n->other, parallel))
			return false;
		if (n->kind != NEST_ALLOC)	/* that one lasts to the end of the block */
			p->n = here;
	}
	p->n = depth;
	return true;
}

static bool check_loops(struct arena *scratch, const struct nest *n)
{
	for (; n; n = n->next) {
		struct path p = { .scratch = scratch };

		if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_PARALLEL &&
		    !check_stores(&p, n->body, n->axis))
			return false;
		if (!check_loops(scratch, n->body) || !check_loops(scratch, n->other))
			return false;
	}
	return true;
}

bool check_races(const struct program *p, const char **why)
{
	struct arena *scratch = arena_new();
	bool ok = check_loops(scratch, p->body);

	arena_free(scratch);
	if (!ok)
		*why = "turns of a parallel loop may write the same element";
	return ok;
}
