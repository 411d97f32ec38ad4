/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/dim.c - arithmetic on extents. */
#include "graph/ir/dim.h"

#include "graph/ir/array.h"
#include "te/index/index.h"
#include "te/text/text.h"

struct dim dim_number(int64_t n)
{
	return (struct dim){ n, NULL };
}

struct dim dim_unknown(void)
{
	return (struct dim){ -1, NULL };
}

struct dim dim_of(struct arena *a, int64_t v)
{
	return v >= 0 ? dim_number(v) : (struct dim){ -1, expr_int(a, v) };
}

struct dim dim_expr(struct arena *a, const struct expr *e)
{
	const struct expr *simple = expr_simplify(a, e);
	int64_t v;

	return expr_is_int(simple, &v) ? dim_of(a, v) : (struct dim){ -1, simple };
}

bool dim_is_number(struct dim d)
{
	return d.n >= 0;
}

bool dim_value(struct dim d, int64_t *v)
{
	*v = d.n;
	return d.n >= 0 || (d.expr && expr_is_int(d.expr, v));
}

bool dim_equal(struct dim x, struct dim y)
{
	if (x.n >= 0 || y.n >= 0)
		return x.n == y.n;
	return x.expr && y.expr && expr_equal(x.expr, y.expr);
}

static const struct expr *as_expr(struct arena *a, struct dim d)
{
	return d.n >= 0 ? expr_int(a, d.n) : d.expr;
}

/* Expressions beyond this many nodes are not worth their simplification: they become unknown. */
enum { MAX_NODES = 64 };

static bool in_bounds(int64_t v)
{
	return v >= -GRAPH_MAX_DIM && v <= GRAPH_MAX_DIM;
}

/* A number that is used in arithmetic as if it had no end. */
static bool is_huge(struct dim d)
{
	int64_t v;

	return dim_value(d, &v) && !in_bounds(v);
}

static struct dim combine(struct arena *a, enum expr_kind k, struct dim x, struct dim y)
{
	const struct expr *ex = as_expr(a, x);
	const struct expr *ey = as_expr(a, y);

	if (!ex || !ey || is_huge(x) || is_huge(y) || expr_size(ex) + expr_size(ey) > MAX_NODES)
		return dim_unknown();
	return dim_expr(a, expr_binary(a, k, ex, ey));
}

struct dim dim_add(struct arena *a, struct dim x, struct dim y)
{
	int64_t vx, vy, sum;

	if (!dim_value(x, &vx) || !dim_value(y, &vy))
		return combine(a, EXPR_ADD, x, y);
	return __builtin_add_overflow(vx, vy, &sum) || !in_bounds(sum) ? dim_unknown()
								       : dim_of(a, sum);
}

struct dim dim_sub(struct arena *a, struct dim x, struct dim y)
{
	int64_t vx, vy, rest;

	if (!dim_value(x, &vx) || !dim_value(y, &vy))
		return combine(a, EXPR_SUB, x, y);
	return __builtin_sub_overflow(vx, vy, &rest) || !in_bounds(rest) ? dim_unknown()
									 : dim_of(a, rest);
}

struct dim dim_mul(struct arena *a, struct dim x, struct dim y)
{
	int64_t vx, vy, product;
	bool nx = dim_value(x, &vx), ny = dim_value(y, &vy);

	if ((nx && vx == 0) || (ny && vy == 0))
		return dim_number(0);
	if (!nx || !ny)
		return combine(a, EXPR_MUL, x, y);
	if (__builtin_mul_overflow(vx, vy, &product) || !in_bounds(product))
		return dim_unknown();
	return dim_of(a, product);
}

struct dim dim_div(struct arena *a, struct dim x, struct dim y)
{
	int64_t vx, vy;

	if (!dim_value(y, &vy) || vy <= 0)
		return dim_unknown();
	if (!dim_value(x, &vx))
		return combine(a, EXPR_DIV, x, y);
	return dim_of(a, vx / vy - (vx % vy < 0));
}

struct dim dim_min(struct arena *a, struct dim x, struct dim y)
{
	int64_t vx, vy;
	bool nx = dim_value(x, &vx), ny = dim_value(y, &vy);

	if (nx && ny)
		return dim_of(a, vx < vy ? vx : vy);
	if (nx && vx > GRAPH_MAX_DIM)	/* to the end of what is not known, as slices say it */
		return y;
	if (ny && vy > GRAPH_MAX_DIM)
		return x;
	return dim_equal(x, y) ? x : combine(a, EXPR_MIN, x, y);
}

struct dim dim_max(struct arena *a, struct dim x, struct dim y)
{
	int64_t vx, vy;

	if (!dim_value(x, &vx) || !dim_value(y, &vy))
		return dim_equal(x, y) ? x : combine(a, EXPR_MAX, x, y);
	return dim_of(a, vx > vy ? vx : vy);
}

/* What y - x may be. */
static struct range ahead(struct arena *a, struct dim x, struct dim y)
{
	struct dim d = dim_sub(a, y, x);
	int64_t v;

	if (dim_value(d, &v))
		return (struct range){ v, v };
	return d.expr ? expr_range(d.expr) : (struct range){ INT64_MIN, INT64_MAX };
}

static struct dim decided(bool always, bool never)
{
	return always ? dim_number(1) : never ? dim_number(0) : dim_unknown();
}

struct dim dim_is_equal(struct arena *a, struct dim x, struct dim y)
{
	struct range r = ahead(a, x, y);

	return decided(r.lo == 0 && r.hi == 0, r.lo > 0 || r.hi < 0);
}

struct dim dim_is_less(struct arena *a, struct dim x, struct dim y)
{
	struct range r = ahead(a, x, y);

	return decided(r.lo > 0, r.hi <= 0);
}

struct dim dim_is_at_most(struct arena *a, struct dim x, struct dim y)
{
	struct range r = ahead(a, x, y);

	return decided(r.lo >= 0, r.hi < 0);
}

struct dim dim_substitute(struct arena *a, struct dim d, const struct axis *s, struct dim to)
{
	if (d.n >= 0 || !d.expr || !expr_uses_axis(d.expr, s))
		return d;
	const struct expr *with = as_expr(a, to);

	return with ? dim_expr(a, expr_substitute(a, d.expr, &s, &with, 1)) : dim_unknown();
}

void dim_print(struct text *out, struct dim d)
{
	if (d.n >= 0)
		text_printf(out, "%lld", (long long)d.n);
	else if (d.expr)
		expr_print(out, d.expr);
	else
		text_puts(out, "?");
}
