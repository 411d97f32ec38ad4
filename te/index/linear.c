/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/linear.c - arithmetic on linear forms. */
#include "te/index/linear.h"

#include "base/integer.h"

bool linear_add_product(int64_t *sum, int64_t x, int64_t factor)
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

bool linear_add_term(struct linear *out, const struct expr *atom, int64_t coef)
{
	if (coef == 0)
		return true;
	for (int i = 0; i < out->n; i++) {
		if (!is_same_atom(out->term[i].atom, atom))
			continue;
		if (!linear_add_product(&out->term[i].coef, coef, 1))
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
	if (!linear_add_product(&out->constant, l->constant, factor))
		return false;
	for (int i = 0; i < l->n; i++) {
		int64_t coef = 0;

		if (!linear_add_product(&coef, l->term[i].coef, factor) ||
		    !linear_add_term(out, l->term[i].atom, coef))
			return false;
	}
	return true;
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

/* Where term I of L is D c (x / D), and another one c (x % D), both become 0 times what they are, and c x is added. */
static bool rejoin_term(struct arena *a, struct linear *l, int i)
{
	const struct expr *quotient = l->term[i].atom;
	int64_t d;

	if (quotient->kind != EXPR_DIV || l->term[i].coef == 0 || !expr_is_int(quotient->arg[1], &d))
		return false;
	for (int j = 0; j < l->n; j++) {
		const struct expr *rest = l->term[j].atom;

		if (rest->kind != EXPR_MOD || l->term[i].coef != d * l->term[j].coef || !expr_equal(quotient->arg[0], rest->arg[0]) ||
		    !expr_equal(quotient->arg[1], rest->arg[1]))
			continue;
		struct linear joined = *l;

		joined.term[i].coef = joined.term[j].coef = 0;
		if (!linear_add_expr(a, &joined, quotient->arg[0], l->term[j].coef))
			return false;
		*l = joined;
		return true;
	}
	return false;
}

void linear_rejoin(struct arena *a, struct linear *l)
{
	int n = 0;

	for (int i = 0; i < l->n;)
		i = rejoin_term(a, l, i) ? 0 : i + 1;
	for (int i = 0; i < l->n; i++)
		if (l->term[i].coef != 0)
			l->term[n++] = l->term[i];
	l->n = n;
}

void linear_split(const struct linear *x, int64_t d, struct linear *quotient,
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

/* Takes one unit out of R, and what is less than it; false where there is none. */
static bool reduce_once(struct reduced *r, bool *fits)
{
	for (int i = 0; i < r->x.n; i++) {
		int64_t unit = gcd(r->x.term[i].coef, r->d);
		struct linear large, small;

		if (unit == 1 || unit == r->d)
			continue;
		linear_split(&r->x, unit, &large, &small);
		struct range range = linear_range(&small);

		if (range.lo < 0 || range.hi >= unit)
			continue;
		*fits = linear_add(&r->small, &small, r->unit);
		r->x = large;
		r->d /= unit;
		r->unit *= unit;
		return true;
	}
	return false;
}

bool linear_reduce(const struct linear *x, int64_t d, struct reduced *out)
{
	bool fits = true;

	*out = (struct reduced){ .x = *x, .d = d, .unit = 1 };
	while (fits && reduce_once(out, &fits))
		continue;
	return fits;
}
