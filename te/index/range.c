/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/range.c - the values that index expressions may take. */
#include "base/integer.h"
#include "te/index/index.h"

static int64_t clamp(int64_t v)
{
	if (v > INDEX_INFINITY)
		return INDEX_INFINITY;
	return v < -INDEX_INFINITY ? -INDEX_INFINITY : v;
}

static int64_t clamped_sum(int64_t x, int64_t y)
{
	int64_t v;

	if (__builtin_add_overflow(x, y, &v))
		return x < 0 ? -INDEX_INFINITY : INDEX_INFINITY;
	return clamp(v);
}

static int64_t clamped_product(int64_t x, int64_t y)
{
	int64_t v;

	if (__builtin_mul_overflow(x, y, &v))
		return (x < 0) != (y < 0) ? -INDEX_INFINITY : INDEX_INFINITY;
	return clamp(v);
}

struct range range_add(struct range x, struct range y)
{
	return (struct range){ clamped_sum(x.lo, y.lo), clamped_sum(x.hi, y.hi) };
}

static struct range range_scale(struct range x, int64_t c)
{
	int64_t p = clamped_product(x.lo, c);
	int64_t q = clamped_product(x.hi, c);

	return c >= 0 ? (struct range){ p, q } : (struct range){ q, p };
}

static const struct range everything = { -INDEX_INFINITY, INDEX_INFINITY };

static struct range range_mul(struct range x, struct range y)
{
	struct range p = range_scale(x, y.lo);
	struct range q = range_scale(x, y.hi);

	return (struct range){ least(p.lo, q.lo), most(p.hi, q.hi) };
}

struct range term_range(const struct linear *l, int i)
{
	return range_scale(expr_range(l->term[i].atom), l->term[i].coef);
}

struct range linear_range(const struct linear *l)
{
	struct range r = { l->constant, l->constant };

	for (int i = 0; i < l->n; i++)
		r = range_add(r, term_range(l, i));
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
