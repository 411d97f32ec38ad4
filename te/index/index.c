/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/index.c - linear forms, and simplification by way of them. */
#include <assert.h>

#include "base/integer.h"
#include "te/index/linear.h"

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

/* out += factor * (x / d) or factor * (x % d), d a constant > 0. */
static bool accumulate_div(const struct simplifier *s, const struct expr *e, int64_t d,
			   int64_t factor, struct linear *out)
{
	struct linear x, quotient, rest;
	bool is_div = e->kind == EXPR_DIV;

	if (!linear_of(s, e->arg[0], 1, &x))
		return false;
	linear_split(&x, d, &quotient, &rest);
	struct range r = linear_range(&rest);
	bool bounded = r.lo > -INDEX_INFINITY && r.hi < INDEX_INFINITY;
	int64_t q = floor_div(r.lo, d);

	if (is_div && !linear_add(out, &quotient, factor))
		return false;
	if (bounded && q == floor_div(r.hi, d)) {	/* the rest's quotient is the same everywhere */
		if (is_div)
			return linear_add_product(&out->constant, q, factor);
		rest.constant -= q * d;
		return linear_add(out, &rest, factor);
	}
	struct reduced left = { .x = rest, .d = d };

	if (is_div && !linear_reduce(&rest, d, &left))
		return false;
	const struct expr *atom = expr_simple(s->a, e->kind, linear_expr(s->a, &left.x),
					      expr_int(s->a, left.d));

	return linear_add_term(out, atom, factor);
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
	return linear_add_term(out, expr_simple(s->a, e->kind, x, y), factor);
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
		return linear_add_term(out, e, factor);
	if ((e->kind == EXPR_DIV || e->kind == EXPR_MOD) && expr_is_int(e->arg[1], &v) && v > 0)
		return accumulate_div(s, e, v, factor, out);
	if (e->kind == EXPR_MIN || e->kind == EXPR_MAX)
		return accumulate_minmax(s, e, factor, out);
	if (e->kind != EXPR_SELECT && e->axes & s->axes)	/* also a product may be none then */
		return accumulate(s->plain, expr_substitute(s->a, e, s->from, s->to, s->n), factor,
				  out);
	if (e->kind != EXPR_SELECT && e->kind != EXPR_MUL)
		return linear_add_term(out, e, factor);
	const struct expr *simple = simplify(s, e);

	if (simple->simple && simple->kind != e->kind)
		return accumulate(s->plain, simple, factor, out);
	return linear_add_term(out, simple, factor);
}

/* out += factor * e. False where the sum has too many terms or too large numbers. */
static bool accumulate(const struct simplifier *s, const struct expr *e, int64_t factor,
		       struct linear *out)
{
	int64_t scaled = 0;
	int64_t v;

	switch (e->kind) {
	case EXPR_INT:
		return linear_add_product(&out->constant, e->i, factor);
	case EXPR_AXIS:
		if (e->axes & s->axes)
			for (int i = 0; i < s->n; i++)
				if (s->from[i] == e->axis)
					return accumulate(s->plain, s->to[i], factor, out);
		if (e->axis->hi - e->axis->lo == 1)
			return linear_add_product(&out->constant, e->axis->lo, factor);
		return linear_add_term(out, e, factor);
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
			return linear_add_product(&scaled, factor, v) &&
			       accumulate(s, e->arg[0], scaled, out);
		if (expr_is_int(e->arg[0], &v))
			return linear_add_product(&scaled, factor, v) &&
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

const struct expr *index_remainder(struct arena *a, const struct expr *e, int64_t d)
{
	const struct expr *plain =
		expr_simplify(a, expr_binary(a, EXPR_MOD, e, expr_int(a, d)));
	struct reduced left;
	struct linear x;

	if (plain->kind != EXPR_MOD || !expr_is_int(plain->arg[1], &d) ||	/* of what was E, maybe */
	    !linear_from(a, plain->arg[0], &x) || !linear_reduce(&x, d, &left))
		return plain;
	const struct expr *rest = expr_binary(a, EXPR_MOD, linear_expr(a, &left.x),
					      expr_int(a, left.d));

	return expr_simplify(a, expr_add(a, expr_mul(a, rest, left.unit),
					 linear_expr(a, &left.small)));
}
