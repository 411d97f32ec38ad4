/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/index.c - linear forms, and simplification by way of them. */
#include "te/index/index.h"

#include <assert.h>

#include "base/integer.h"

/* sum += x * factor; false where that is beyond any index. */
static bool add_product(int64_t *sum, int64_t x, int64_t factor)
{
	int64_t product;

	if (__builtin_mul_overflow(x, factor, &product) ||
	    __builtin_add_overflow(*sum, product, sum))
		return false;
	return *sum <= INDEX_INFINITY && *sum >= -INDEX_INFINITY;
}

static bool is_same_atom(const struct expr *x, const struct expr *y)
{
	if (x->kind == EXPR_AXIS)
		return y->kind == EXPR_AXIS && x->axis == y->axis;
	return expr_equal(x, y);
}

/* out += coef * atom. */
static bool add_term(struct linear *out, const struct expr *atom, int64_t coef)
{
	if (coef == 0)
		return true;
	for (int i = 0; i < out->n; i++) {
		if (!is_same_atom(out->term[i].atom, atom))
			continue;
		if (!add_product(&out->term[i].coef, coef, 1))
			return false;
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

bool linear_add(struct linear *out, const struct linear *l, int64_t factor)
{
	if (!add_product(&out->constant, l->constant, factor))
		return false;
	for (int i = 0; i < l->n; i++) {
		int64_t coef = 0;

		if (!add_product(&coef, l->term[i].coef, factor) ||
		    !add_term(out, l->term[i].atom, coef))
			return false;
	}
	return true;
}

/* What is done on the way: axes FROM become TO, as in expr_substitute; n may be 0. */
struct simplifier {
	struct arena *a;
	const struct axis *const *from;
	const struct expr *const *to;
	int n;
	uint32_t axes;	/* the bits of FROM */
	const struct simplifier *plain;	/* one that replaces nothing: for results of this one */
};

static const struct expr *simplify(const struct simplifier *s, const struct expr *e);
static bool accumulate(const struct simplifier *s, const struct expr *e, int64_t factor,
		       struct linear *out);

/* factor * e, from nothing. */
static bool linear_of(const struct simplifier *s, const struct expr *e, int64_t factor,
		      struct linear *out)
{
	out->constant = 0;
	out->n = 0;
	return accumulate(s, e, factor, out);
}

static bool is_settled(const struct simplifier *s, const struct expr *e)
{
	return e->simple && !(e->axes & s->axes);
}

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

/* Drops from X what cannot change X / D: (16 * i + j) / 32 is i / 2 where j < 16. *D becomes the
 * divisor of what is left. */
static void drop_small(struct linear *x, int64_t *d)
{
	for (int i = 0; i < x->n; i++) {
		int64_t unit = gcd(x->term[i].coef, *d);
		struct linear large, small;

		if (unit == 1 || unit == *d)
			continue;
		split_multiple(x, unit, &large, &small);
		struct range r = linear_range(&small);

		if (r.lo >= 0 && r.hi < unit) {
			*x = large;
			*d /= unit;
			drop_small(x, d);
			return;
		}
	}
}

/* out += factor * (x / d) or factor * (x % d), d a constant > 0. */
static bool accumulate_div(const struct simplifier *s, const struct expr *e, int64_t d,
			   int64_t factor, struct linear *out)
{
	struct linear x, quotient, rest;
	bool is_div = e->kind == EXPR_DIV;

	if (!linear_of(s, e->arg[0], 1, &x))
		return false;
	split_multiple(&x, d, &quotient, &rest);
	struct range r = linear_range(&rest);
	bool bounded = r.lo > -INDEX_INFINITY && r.hi < INDEX_INFINITY;
	int64_t q = floor_div(r.lo, d);

	if (is_div && !linear_add(out, &quotient, factor))
		return false;
	if (bounded && q == floor_div(r.hi, d)) {	/* the rest's quotient is the same everywhere */
		if (is_div)
			return add_product(&out->constant, q, factor);
		rest.constant -= q * d;
		return linear_add(out, &rest, factor);
	}
	if (is_div)
		drop_small(&rest, &d);
	const struct expr *atom = expr_simple(s->a, e->kind, linear_expr(s->a, &rest),
					      expr_int(s->a, d));

	return add_term(out, atom, factor);
}

static bool accumulate_minmax(const struct simplifier *s, const struct expr *e, int64_t factor,
			      struct linear *out)
{
	const struct expr *x = simplify(s, e->arg[0]);
	const struct expr *y = simplify(s, e->arg[1]);
	struct linear diff;

	/* Simple ones alone: any other would be simplified again, in vain, at each level. */
	if (x->simple && y->simple && linear_of(s->plain, x, 1, &diff) &&
	    accumulate(s->plain, y, -1, &diff)) {
		struct range r = linear_range(&diff);

		if (r.hi <= 0 || r.lo >= 0) {
			bool first = (e->kind == EXPR_MIN) == (r.hi <= 0);

			return accumulate(s->plain, first ? x : y, factor, out);
		}
	}
	return add_term(out, expr_simple(s->a, e->kind, x, y), factor);
}

static bool is_product(const struct expr *e)
{
	return e->kind == EXPR_MUL && e->arg[0]->kind != EXPR_INT && e->arg[1]->kind != EXPR_INT;
}

/* out += factor * e, where E is no sum. */
static bool accumulate_other(const struct simplifier *s, const struct expr *e, int64_t factor,
			     struct linear *out)
{
	int64_t v;

	if (is_settled(s, e))
		return add_term(out, e, factor);
	if ((e->kind == EXPR_DIV || e->kind == EXPR_MOD) && expr_is_int(e->arg[1], &v) && v > 0)
		return accumulate_div(s, e, v, factor, out);
	if (e->kind == EXPR_MIN || e->kind == EXPR_MAX)
		return accumulate_minmax(s, e, factor, out);
	if (e->kind != EXPR_SELECT && e->axes & s->axes)	/* also a product may be none then */
		return accumulate(s->plain, expr_substitute(s->a, e, s->from, s->to, s->n), factor,
				  out);
	if (e->kind != EXPR_SELECT && e->kind != EXPR_MUL)
		return add_term(out, e, factor);
	const struct expr *simple = simplify(s, e);

	if (simple->simple && simple->kind != e->kind)
		return accumulate(s->plain, simple, factor, out);
	return add_term(out, simple, factor);
}

/* out += factor * e. False where the sum has too many terms or too large numbers. */
static bool accumulate(const struct simplifier *s, const struct expr *e, int64_t factor,
		       struct linear *out)
{
	int64_t scaled = 0;
	int64_t v;

	switch (e->kind) {
	case EXPR_INT:
		return add_product(&out->constant, e->i, factor);
	case EXPR_AXIS:
		if (e->axes & s->axes)
			for (int i = 0; i < s->n; i++)
				if (s->from[i] == e->axis)
					return accumulate(s->plain, s->to[i], factor, out);
		if (e->axis->hi - e->axis->lo == 1)
			return add_product(&out->constant, e->axis->lo, factor);
		return add_term(out, e, factor);
	case EXPR_ADD:
		return accumulate(s, e->arg[0], factor, out) &&
		       accumulate(s, e->arg[1], factor, out);
	case EXPR_SUB:
		return accumulate(s, e->arg[0], factor, out) &&
		       accumulate(s, e->arg[1], -factor, out);
	case EXPR_NEG:
		return accumulate(s, e->arg[0], -factor, out);
	case EXPR_MUL:
		if (expr_is_int(e->arg[1], &v))
			return add_product(&scaled, factor, v) &&
			       accumulate(s, e->arg[0], scaled, out);
		if (expr_is_int(e->arg[0], &v))
			return add_product(&scaled, factor, v) &&
			       accumulate(s, e->arg[1], scaled, out);
		break;
	default:
		break;
	}
	return accumulate_other(s, e, factor, out);
}

bool linear_add_expr(struct arena *a, struct linear *out, const struct expr *e, int64_t factor)
{
	const struct simplifier plain = { .a = a, .plain = &plain };

	return accumulate(&plain, e, factor, out);
}

bool linear_from(struct arena *a, const struct expr *e, struct linear *out)
{
	const struct simplifier plain = { .a = a, .plain = &plain };

	assert(e->dtype == DTYPE_I64);
	return linear_of(&plain, e, 1, out);
}

const struct expr *linear_expr(struct arena *a, const struct linear *l)
{
	const struct expr *sum = NULL;

	for (int i = 0; i < l->n; i++) {
		const struct expr *term = l->term[i].atom;

		if (l->term[i].coef != 1)
			term = expr_simple(a, EXPR_MUL, term, expr_int(a, l->term[i].coef));
		sum = sum ? expr_simple(a, EXPR_ADD, sum, term) : term;
	}
	if (!sum)
		return expr_int(a, l->constant);
	return l->constant ? expr_simple(a, EXPR_ADD, sum, expr_int(a, l->constant)) : sum;
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
static const struct expr *simplify_compare(const struct simplifier *s, const struct expr *e)
{
	const struct expr *x = simplify(s, e->arg[0]);
	const struct expr *y = simplify(s, e->arg[1]);
	struct linear diff;	/* right minus left */

	if (!x->simple || !y->simple || !linear_of(s->plain, y, 1, &diff) ||
	    !accumulate(s->plain, x, -1, &diff))
		return expr_binary(s->a, e->kind, x, y);
	struct range r = linear_range(&diff);
	bool equal_never = r.lo > 0 || r.hi < 0;
	bool equal_always = r.lo == 0 && r.hi == 0;

	switch (e->kind) {
	case EXPR_LT:
		if (r.lo > 0 || r.hi <= 0)
			return bool_const(s->a, r.lo > 0);
		break;
	case EXPR_LE:
		if (r.lo >= 0 || r.hi < 0)
			return bool_const(s->a, r.lo >= 0);
		break;
	default:
		if (equal_never || equal_always)
			return bool_const(s->a, equal_always == (e->kind == EXPR_EQ));
		break;
	}
	return expr_simple(s->a, e->kind, x, y);
}

/* Product E of what is no number: its factors alone; 0 where one turns out to be. */
static const struct expr *simplify_factors(const struct simplifier *s, const struct expr *e)
{
	const struct expr *x = simplify(s, e->arg[0]);
	const struct expr *y = simplify(s, e->arg[1]);
	int64_t v;

	if ((expr_is_int(x, &v) && v == 0) || (expr_is_int(y, &v) && v == 0))
		return expr_int(s->a, 0);
	return x == e->arg[0] && y == e->arg[1] ? e : expr_binary(s->a, EXPR_MUL, x, y);
}

static const struct expr *simplify_node(struct arena *a, const struct expr *e, void *user)
{
	const struct simplifier *s = user;
	struct linear l;

	if (is_settled(s, e))
		return e;
	if (e->kind >= EXPR_LT && e->kind <= EXPR_NE && e->arg[0]->dtype == DTYPE_I64)
		return simplify_compare(s, e);
	if (e->dtype != DTYPE_I64)
		return NULL;
	switch (e->kind) {
	case EXPR_MUL:
		if (!is_product(e))
			break;
		if (!(e->axes & s->axes))
			return simplify_factors(s, e);
		return simplify(s->plain, expr_substitute(a, e, s->from, s->to, s->n));
	case EXPR_AXIS:
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_NEG:
	case EXPR_DIV:
	case EXPR_MOD:
	case EXPR_MIN:
	case EXPR_MAX:
		break;
	default:
		return NULL;
	}
	/* What has no linear form stays as it is: its parts were looked at to find that out, and
	 * once more at each level would take exponential time. */
	if (!linear_of(s, e, 1, &l))
		return expr_substitute(a, e, s->from, s->to, s->n);
	return linear_expr(a, &l);
}

static const struct expr *simplify(const struct simplifier *s, const struct expr *e)
{
	/* expr_rewrite hands it back as it is. */
	return is_settled(s, e) ? e : expr_rewrite(s->a, e, simplify_node,
						   (void *)(uintptr_t)s);
}

const struct expr *expr_simplify(struct arena *a, const struct expr *e)
{
	const struct simplifier plain = { .a = a, .plain = &plain };

	return simplify(&plain, e);
}

const struct expr *expr_simplify_with(struct arena *a, const struct expr *e,
				      const struct axis *const *from, const struct expr *const *to,
				      int n)
{
	const struct simplifier plain = { .a = a, .plain = &plain };
	struct simplifier s = { a, from, to, n, 0, &plain };

	for (int i = 0; i < n; i++)
		s.axes |= axis_bit(from[i]);
	return simplify(&s, e);
}
