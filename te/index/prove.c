/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/prove.c - bounds of index expressions that follow from ranges and from known conditions. */
#include "base/integer.h"
#include "te/index/index.h"
#include "te/limits.h"

void facts_add(struct arena *a, struct facts *f, const struct expr *cond, bool negate)
{
	if (cond->kind == EXPR_NOT) {
		facts_add(a, f, cond->arg[0], !negate);
		return;
	}
	if (cond->kind == (negate ? EXPR_OR : EXPR_AND)) {
		facts_add(a, f, cond->arg[0], negate);
		facts_add(a, f, cond->arg[1], negate);
		return;
	}
	if ((cond->kind != EXPR_LT && cond->kind != EXPR_LE) || cond->arg[0]->dtype != DTYPE_I64)
		return;
	if (negate)	/* not (x < y) is y <= x */
		cond = expr_binary(a, cond->kind == EXPR_LT ? EXPR_LE : EXPR_LT, cond->arg[1],
				   cond->arg[0]);
	if (f->n == f->cap) {
		int cap = f->cap ? 2 * f->cap : 8;
		const struct expr **at = arena_many(a, const struct expr *, cap);

		if (f->n)
			memcpy(at, f->at, (size_t)f->n * sizeof(*at));
		f->at = at;
		f->cap = cap;
	}
	f->at[f->n++] = cond;
}

/* Facts and quotients that one proof may use: an index has a tail or two, rarely more. */
enum { PROOF_DEPTH = 3 };

static bool prove(struct arena *a, const struct linear *l, int64_t bound, const struct facts *facts,
		  int depth);

/* Products of two such numbers do not overflow, nor do sums of some of them. */
static bool is_small(const struct linear *l)
{
	for (int i = 0; i < l->n; i++)
		if (l->term[i].coef > EXTENT_MAX || l->term[i].coef < -EXTENT_MAX)
			return false;
	return l->constant <= EXTENT_MAX && l->constant >= -EXTENT_MAX;
}

/* rest + coef * (x / d) >= bound, where d * rest + coef * x is at least what follows from it: x / d
 * is between (x - (d - 1)) / d and x / d. */
static bool prove_quotient(struct arena *a, const struct linear *l, int64_t bound, int term,
			   const struct facts *facts, int depth)
{
	const struct expr *atom = l->term[term].atom;
	int64_t coef = l->term[term].coef;
	struct linear rest = { 0 }, scaled = { 0 };
	int64_t d, slack;

	if (atom->kind != EXPR_DIV || !expr_is_int(atom->arg[1], &d) || d <= 0 || d > EXTENT_MAX)
		return false;
	linear_add(&rest, l, 1);
	rest.term[term] = rest.term[--rest.n];
	if (!linear_add(&scaled, &rest, d) || !linear_add_expr(a, &scaled, atom->arg[0], coef))
		return false;
	if (coef == 1 || coef == -1)	/* exact: (d * rest + x) / d, rounded down or up */
		slack = coef == 1 ? 0 : 1 - d;
	else
		slack = coef > 0 ? coef * (d - 1) : 0;
	return prove(a, &scaled, d * bound + slack, facts, depth);
}

/* TIMES * L - FACTOR * F, where these are the least positive numbers that rid the terms J of L and I of F of each other.
 * False where there are none. */
static bool cancel(const struct linear *l, int j, const struct linear *f, int i, int64_t *times, struct linear *out)
{
	if ((l->term[j].coef < 0) != (f->term[i].coef < 0) || !expr_equal(f->term[i].atom, l->term[j].atom))
		return false;
	int64_t common = gcd(l->term[j].coef, f->term[i].coef);
	int64_t factor = l->term[j].coef / common;

	*times = f->term[i].coef / common;
	factor = factor < 0 ? -factor : factor;
	*times = *times < 0 ? -*times : *times;
	*out = (struct linear){ 0 };
	return linear_add(out, l, *times) && linear_add(out, f, -factor);
}

/* FACT as a form that is 0 or more; false where its numbers are too large for a proof. */
static bool form_of(struct arena *a, const struct expr *fact, struct linear *f)
{
	*f = (struct linear){ .constant = -(fact->kind == EXPR_LT) };	/* y - x - 1 >= 0 */
	return linear_add_expr(a, f, fact->arg[1], 1) && linear_add_expr(a, f, fact->arg[0], -1) && is_small(f);
}

/* l >= bound from fact f >= 0: times * l - factor * f >= times * bound - (times - 1), for each such
 * pair of positive numbers that rids l of a term. */
static bool prove_by_fact(struct arena *a, const struct linear *l, int64_t bound,
			  const struct expr *fact, const struct facts *facts, int depth)
{
	struct linear f, rest;
	int64_t times;

	if (!form_of(a, fact, &f))
		return false;
	for (int i = 0; i < f.n; i++)
		for (int j = 0; j < l->n; j++)
			if (cancel(l, j, &f, i, &times, &rest) &&
			    prove(a, &rest, times * (bound - 1) + 1, facts, depth))
				return true;
	return false;
}

/* The least that L is by ranges and one of the facts. */
static int64_t least_of(struct arena *a, const struct linear *l, const struct facts *facts)
{
	int64_t limit = linear_range(l).lo;
	struct linear f, rest;
	int64_t times;

	for (int k = 0; facts && k < facts->n; k++) {
		if (!form_of(a, facts->at[k], &f))
			continue;
		for (int i = 0; i < f.n; i++)
			for (int j = 0; j < l->n; j++)
				if (cancel(l, j, &f, i, &times, &rest))
					limit = most(limit, ceil_div(linear_range(&rest).lo, times));
	}
	return limit;
}

/* l >= bound where a fact about X says more of the quotient X / D than its range: rounding, which prove_quotient()
 * gives away, is in it then. */
static bool prove_rounded(struct arena *a, const struct linear *l, int64_t bound, int term,
			  const struct facts *facts, int depth)
{
	const struct expr *atom = l->term[term].atom;
	int64_t coef = l->term[term].coef;
	struct linear rest = { 0 }, x = { 0 };
	int64_t d;

	if (atom->kind != EXPR_DIV || !expr_is_int(atom->arg[1], &d) || d <= 0 ||
	    !linear_add_expr(a, &x, atom->arg[0], coef > 0 ? 1 : -1) || !is_small(&x))
		return false;
	int64_t limit = least_of(a, &x, facts);

	if (limit <= linear_range(&x).lo || limit < -EXTENT_MAX || limit > EXTENT_MAX)
		return false;
	linear_add(&rest, l, 1);
	rest.term[term] = rest.term[--rest.n];
	rest.constant += coef * floor_div(coef > 0 ? limit : -limit, d);
	return prove(a, &rest, bound, facts, depth);
}

/* l >= bound, from ranges, facts and what quotients are. */
static bool prove(struct arena *a, const struct linear *l, int64_t bound, const struct facts *facts,
		  int depth)
{
	if (linear_range(l).lo >= bound)
		return true;
	if (depth == 0 || !is_small(l) || bound > EXTENT_MAX || bound < -EXTENT_MAX)
		return false;
	for (int i = 0; facts && i < facts->n; i++)
		if (prove_by_fact(a, l, bound, facts->at[i], facts, depth - 1))
			return true;
	for (int i = 0; i < l->n; i++)
		if (prove_quotient(a, l, bound, i, facts, depth - 1) || prove_rounded(a, l, bound, i, facts, depth - 1))
			return true;
	return false;
}

bool index_at_least(struct arena *a, const struct expr *e, int64_t bound, const struct facts *facts)
{
	struct linear l = { 0 };

	return linear_add_expr(a, &l, e, 1) && prove(a, &l, bound, facts, PROOF_DEPTH);
}

bool index_at_most(struct arena *a, const struct expr *e, int64_t bound, const struct facts *facts)
{
	struct linear l = { 0 };

	return linear_add_expr(a, &l, e, -1) && prove(a, &l, -bound, facts, PROOF_DEPTH);
}

bool index_within(struct arena *a, const struct expr *e, int64_t lo, int64_t hi,
		  const struct facts *facts)
{
	struct range r = expr_range(e);

	return (r.lo >= lo && r.hi <= hi) || (index_at_least(a, e, lo, facts) &&
					      index_at_most(a, e, hi, facts));
}
