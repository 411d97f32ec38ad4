/* SPDX-License-Identifier: Apache-2.0 */
/* te/index.c - linear forms over ranges, and what follows from them. */
#include "te/index.h"

#include <assert.h>

#include "te/limits.h"

static int64_t clamp(__int128 v)
{
	if (v > INDEX_INFINITY)
		return INDEX_INFINITY;
	if (v < -INDEX_INFINITY)
		return -INDEX_INFINITY;
	return (int64_t)v;
}

static struct range range_add(struct range x, struct range y)
{
	return (struct range){ clamp((__int128)x.lo + y.lo), clamp((__int128)x.hi + y.hi) };
}

static struct range range_scale(struct range x, int64_t c)
{
	int64_t p = clamp((__int128)x.lo * c);
	int64_t q = clamp((__int128)x.hi * c);

	return c >= 0 ? (struct range){ p, q } : (struct range){ q, p };
}

static int64_t floor_div(int64_t x, int64_t y)
{
	return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static int64_t most(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

static const struct range everything = { -INDEX_INFINITY, INDEX_INFINITY };

static struct range range_mul(struct range x, struct range y)
{
	struct range p = range_scale(x, y.lo);
	struct range q = range_scale(x, y.hi);

	return (struct range){ least(p.lo, q.lo), most(p.hi, q.hi) };
}

struct range linear_range(const struct linear *l)
{
	struct range r = { l->constant, l->constant };

	for (int i = 0; i < l->n; i++)
		r = range_add(r, range_scale(expr_range(l->term[i].atom), l->term[i].coef));
	return r;
}

/* Bounds of an i64 node from the bounds of its arguments. */
static struct range range_of_node(const struct expr *e)
{
	struct range x = expr_range(e->arg[0]);
	struct range y = expr_kind_arity(e->kind) > 1 ? expr_range(e->arg[1]) : x;

	switch (e->kind) {
	case EXPR_ADD:
		return range_add(x, y);
	case EXPR_SUB:
		return range_add(x, range_scale(y, -1));
	case EXPR_NEG:
		return range_scale(x, -1);
	case EXPR_MUL:
		return range_mul(x, y);
	case EXPR_DIV:
		if (y.lo != y.hi || y.lo <= 0)
			return everything;
		return (struct range){ floor_div(x.lo, y.lo), floor_div(x.hi, y.lo) };
	case EXPR_MOD:
		if (y.lo <= 0)
			return everything;
		if (x.lo >= 0 && x.hi < y.lo)
			return x;
		return (struct range){ 0, y.hi - 1 };
	case EXPR_MIN:
		return (struct range){ least(x.lo, y.lo), least(x.hi, y.hi) };
	case EXPR_MAX:
		return (struct range){ most(x.lo, y.lo), most(x.hi, y.hi) };
	case EXPR_SELECT: {
		struct range z = expr_range(e->arg[2]);

		return (struct range){ least(y.lo, z.lo), most(y.hi, z.hi) };
	}
	default:
		return everything;
	}
}

struct range expr_range(const struct expr *e)
{
	if (e->kind == EXPR_INT)
		return (struct range){ e->i, e->i };
	if (e->kind == EXPR_AXIS)
		return (struct range){ e->axis->lo, e->axis->hi - 1 };
	if (e->dtype == DTYPE_BOOL)
		return (struct range){ 0, 1 };
	if (e->dtype != DTYPE_I64 || expr_kind_arity(e->kind) == 0)
		return everything;
	return range_of_node(e);
}

/* out += coef * atom. */
static bool add_term(struct linear *out, const struct expr *atom, int64_t coef)
{
	if (coef == 0)
		return true;
	for (int i = 0; i < out->n; i++) {
		if (!expr_equal(out->term[i].atom, atom))
			continue;
		out->term[i].coef += coef;
		if (out->term[i].coef == 0) {
			out->n--;
			for (int j = i; j < out->n; j++)
				out->term[j] = out->term[j + 1];
		}
		return true;
	}
	if (out->n == LINEAR_MAX_TERMS)
		return false;
	out->term[out->n].atom = atom;
	out->term[out->n++].coef = coef;
	return true;
}

static bool add_scaled(struct linear *out, const struct linear *l, int64_t factor)
{
	out->constant += l->constant * factor;
	for (int i = 0; i < l->n; i++)
		if (!add_term(out, l->term[i].atom, l->term[i].coef * factor))
			return false;
	return true;
}

static bool accumulate(struct arena *a, const struct expr *e, int64_t factor, struct linear *out);

/* Splits X = D * quotient + rest, where rest keeps what D does not divide. */
static void split_multiple(const struct linear *x, int64_t d, struct linear *quotient,
			   struct linear *rest)
{
	quotient->n = rest->n = 0;
	quotient->constant = floor_div(x->constant, d);
	rest->constant = x->constant - quotient->constant * d;
	for (int i = 0; i < x->n; i++) {
		struct linear *to = x->term[i].coef % d == 0 ? quotient : rest;

		to->term[to->n].atom = x->term[i].atom;
		to->term[to->n++].coef = to == rest ? x->term[i].coef : x->term[i].coef / d;
	}
}

/* out += factor * (x / d) or factor * (x % d), d a constant > 0. */
static bool accumulate_div(struct arena *a, const struct expr *e, int64_t d, int64_t factor,
			   struct linear *out)
{
	struct linear x = { 0 }, quotient, rest;
	bool is_div = e->kind == EXPR_DIV;

	if (!accumulate(a, e->arg[0], 1, &x))
		return false;
	split_multiple(&x, d, &quotient, &rest);
	struct range r = linear_range(&rest);
	int64_t q = floor_div(r.lo, d);

	if (is_div && !add_scaled(out, &quotient, factor))
		return false;
	if (q == floor_div(r.hi, d)) {	/* the quotient of the rest is the same everywhere */
		if (is_div) {
			out->constant += q * factor;
			return true;
		}
		rest.constant -= q * d;
		return add_scaled(out, &rest, factor);
	}
	const struct expr *atom = expr_binary(a, e->kind, linear_expr(a, &rest), expr_int(a, d));

	return add_term(out, atom, factor);
}

static bool accumulate_minmax(struct arena *a, const struct expr *e, int64_t factor,
			      struct linear *out)
{
	const struct expr *x = expr_simplify(a, e->arg[0]);
	const struct expr *y = expr_simplify(a, e->arg[1]);
	struct linear diff = { 0 };

	if (accumulate(a, x, 1, &diff) && accumulate(a, y, -1, &diff)) {
		struct range r = linear_range(&diff);

		if (r.hi <= 0 || r.lo >= 0) {
			bool first = (e->kind == EXPR_MIN) == (r.hi <= 0);

			return accumulate(a, first ? x : y, factor, out);
		}
	}
	return add_term(out, expr_binary(a, e->kind, x, y), factor);
}

/* out += factor * e. */
static bool accumulate(struct arena *a, const struct expr *e, int64_t factor, struct linear *out)
{
	int64_t v;

	switch (e->kind) {
	case EXPR_INT:
		out->constant += e->i * factor;
		return true;
	case EXPR_AXIS:
		if (e->axis->hi - e->axis->lo == 1) {
			out->constant += e->axis->lo * factor;
			return true;
		}
		return add_term(out, e, factor);
	case EXPR_ADD:
		return accumulate(a, e->arg[0], factor, out) &&
		       accumulate(a, e->arg[1], factor, out);
	case EXPR_SUB:
		return accumulate(a, e->arg[0], factor, out) &&
		       accumulate(a, e->arg[1], -factor, out);
	case EXPR_NEG:
		return accumulate(a, e->arg[0], -factor, out);
	case EXPR_MUL:
		if (expr_is_int(e->arg[1], &v))
			return accumulate(a, e->arg[0], factor * v, out);
		if (expr_is_int(e->arg[0], &v))
			return accumulate(a, e->arg[1], factor * v, out);
		break;
	case EXPR_DIV:
	case EXPR_MOD:
		if (expr_is_int(e->arg[1], &v) && v > 0)
			return accumulate_div(a, e, v, factor, out);
		break;
	case EXPR_MIN:
	case EXPR_MAX:
		return accumulate_minmax(a, e, factor, out);
	default:
		break;
	}
	if (e->kind == EXPR_SELECT || e->kind == EXPR_MUL) {
		const struct expr *simple = expr_simplify(a, e);

		if (simple->kind != e->kind)
			return accumulate(a, simple, factor, out);
		e = simple;
	}
	return add_term(out, e, factor);
}

bool linear_from(struct arena *a, const struct expr *e, struct linear *out)
{
	assert(e->dtype == DTYPE_I64);
	*out = (struct linear){ 0 };
	return accumulate(a, e, 1, out);
}

const struct expr *linear_expr(struct arena *a, const struct linear *l)
{
	const struct expr *sum = NULL;

	for (int i = 0; i < l->n; i++) {
		const struct expr *term = expr_mul(a, l->term[i].atom, l->term[i].coef);

		sum = sum ? expr_add(a, sum, term) : term;
	}
	if (!sum)
		return expr_int(a, l->constant);
	return expr_add(a, sum, expr_int(a, l->constant));
}

int64_t linear_coef(const struct linear *l, const struct axis *axis)
{
	for (int i = 0; i < l->n; i++)
		if (l->term[i].atom->kind == EXPR_AXIS && l->term[i].atom->axis == axis)
			return l->term[i].coef;
	return 0;
}

static const struct expr *bool_const(struct arena *a, bool v)
{
	return expr_const(a, DTYPE_BOOL, v);
}

/* A comparison of two i64, decided where the range of the difference allows. */
static const struct expr *simplify_compare(struct arena *a, const struct expr *e)
{
	struct linear diff = { 0 };	/* right minus left */

	if (!accumulate(a, e->arg[1], 1, &diff) || !accumulate(a, e->arg[0], -1, &diff))
		return e;
	struct range r = linear_range(&diff);
	bool equal_never = r.lo > 0 || r.hi < 0;
	bool equal_always = r.lo == 0 && r.hi == 0;

	switch (e->kind) {
	case EXPR_LT:
		if (r.lo > 0 || r.hi <= 0)
			return bool_const(a, r.lo > 0);
		break;
	case EXPR_LE:
		if (r.lo >= 0 || r.hi < 0)
			return bool_const(a, r.lo >= 0);
		break;
	default:
		if (equal_never || equal_always)
			return bool_const(a, equal_always == (e->kind == EXPR_EQ));
		break;
	}
	return expr_binary(a, e->kind, expr_simplify(a, e->arg[0]), expr_simplify(a, e->arg[1]));
}

static const struct expr *simplify_node(struct arena *a, const struct expr *e, void *user)
{
	struct linear l = { 0 };

	(void)user;
	if (e->kind >= EXPR_LT && e->kind <= EXPR_NE && e->arg[0]->dtype == DTYPE_I64)
		return simplify_compare(a, e);
	if (e->dtype != DTYPE_I64 || e->kind == EXPR_INT)
		return NULL;
	switch (e->kind) {
	case EXPR_AXIS:
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_MUL:
	case EXPR_NEG:
	case EXPR_DIV:
	case EXPR_MOD:
	case EXPR_MIN:
	case EXPR_MAX:
		if (e->kind == EXPR_MUL && e->arg[0]->kind != EXPR_INT &&
		    e->arg[1]->kind != EXPR_INT)
			return NULL;	/* not linear: its arguments alone */
		return accumulate(a, e, 1, &l) ? linear_expr(a, &l) : NULL;
	default:
		return NULL;
	}
}

const struct expr *expr_simplify(struct arena *a, const struct expr *e)
{
	return expr_rewrite(a, e, simplify_node, NULL);
}

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
	struct linear rest = *l, scaled = { 0 };
	int64_t d, slack;

	if (atom->kind != EXPR_DIV || !expr_is_int(atom->arg[1], &d) || d <= 0 || d > EXTENT_MAX)
		return false;
	rest.term[term] = rest.term[--rest.n];
	if (!add_scaled(&scaled, &rest, d) || !accumulate(a, atom->arg[0], coef, &scaled))
		return false;
	if (coef == 1 || coef == -1)	/* exact: (d * rest + x) / d, rounded down or up */
		slack = coef == 1 ? 0 : 1 - d;
	else
		slack = coef > 0 ? coef * (d - 1) : 0;
	return prove(a, &scaled, d * bound + slack, facts, depth);
}

static int64_t gcd(int64_t x, int64_t y)
{
	return y ? gcd(y, x % y) : x < 0 ? -x : x;
}

/* l >= bound from fact f >= 0: times * l - factor * f >= times * bound - (times - 1), for each such
 * pair of positive numbers that rids l of a term. */
static bool prove_by_fact(struct arena *a, const struct linear *l, int64_t bound,
			  const struct expr *fact, const struct facts *facts, int depth)
{
	struct linear f = { .constant = -(fact->kind == EXPR_LT) };	/* y - x - 1 >= 0 */

	if (!accumulate(a, fact->arg[1], 1, &f) || !accumulate(a, fact->arg[0], -1, &f) ||
	    !is_small(&f))
		return false;
	for (int i = 0; i < f.n; i++)
		for (int j = 0; j < l->n; j++) {
			int64_t common = gcd(l->term[j].coef, f.term[i].coef);
			int64_t factor = l->term[j].coef / common;
			int64_t times = f.term[i].coef / common;
			struct linear rest = { 0 };

			if ((factor < 0) != (times < 0) ||
			    !expr_equal(f.term[i].atom, l->term[j].atom))
				continue;
			factor = factor < 0 ? -factor : factor;
			times = times < 0 ? -times : times;
			if (add_scaled(&rest, l, times) && add_scaled(&rest, &f, -factor) &&
			    prove(a, &rest, times * (bound - 1) + 1, facts, depth))
				return true;
		}
	return false;
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
		if (prove_quotient(a, l, bound, i, facts, depth - 1))
			return true;
	return false;
}

bool index_at_least(struct arena *a, const struct expr *e, int64_t bound, const struct facts *facts)
{
	struct linear l = { 0 };

	return accumulate(a, e, 1, &l) && prove(a, &l, bound, facts, PROOF_DEPTH);
}

bool index_at_most(struct arena *a, const struct expr *e, int64_t bound, const struct facts *facts)
{
	struct linear l = { 0 };

	return accumulate(a, e, -1, &l) && prove(a, &l, -bound, facts, PROOF_DEPTH);
}
