/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/indices/known.c - intervals of indices, with numbers for some axes. */
#include "schedule/pass/indices/known.h"

#include "base/integer.h"

static struct range axis_range(const struct known_axes *k, const struct axis *axis)
{
	for (int i = k->n - 1; i >= 0; i--)
		if (k->at[i].axis == axis)
			return (struct range){ k->at[i].value, k->at[i].value };
	return (struct range){ axis->lo, axis->hi - 1 };
}

static struct range scaled(struct range r, int64_t factor)
{
	return factor < 0 ? (struct range){ r.hi * factor, r.lo * factor }
			  : (struct range){ r.lo * factor, r.hi * factor };
}

struct range known_range(const struct known_axes *k, const struct expr *e)
{
	int64_t v;
	struct range r;

	switch (e->kind) {
	case EXPR_INT:
		return (struct range){ e->i, e->i };
	case EXPR_AXIS:
		return axis_range(k, e->axis);
	case EXPR_ADD:
		return range_add(known_range(k, e->arg[0]), known_range(k, e->arg[1]));
	case EXPR_SUB:
		return range_add(known_range(k, e->arg[0]), scaled(known_range(k, e->arg[1]), -1));
	default:
		break;
	}
	if (e->kind == EXPR_MUL && expr_is_int(e->arg[1], &v))
		return scaled(known_range(k, e->arg[0]), v);
	if (e->kind == EXPR_DIV && expr_is_int(e->arg[1], &v) && v > 0) {
		r = known_range(k, e->arg[0]);
		return (struct range){ floor_div(r.lo, v), floor_div(r.hi, v) };
	}
	if (e->kind == EXPR_MOD && expr_is_int(e->arg[1], &v) && v > 0) {
		r = known_range(k, e->arg[0]);
		if (floor_div(r.lo, v) == floor_div(r.hi, v))
			return (struct range){ r.lo - floor_div(r.lo, v) * v,
					       r.hi - floor_div(r.lo, v) * v };
	}
	return expr_range(e);
}

enum truth known_truth(const struct known_axes *k, const struct expr *e)
{
	struct range x, y;

	if (e->kind == EXPR_AND || e->kind == EXPR_OR) {
		enum truth u = known_truth(k, e->arg[0]), v = known_truth(k, e->arg[1]);
		enum truth decides = e->kind == EXPR_AND ? FAILS : HOLDS;

		return u == decides || v == decides ? decides : u == v ? u : UNKNOWN;
	}
	if ((e->kind != EXPR_LT && e->kind != EXPR_LE) || e->arg[0]->dtype != DTYPE_I64)
		return UNKNOWN;
	x = known_range(k, e->arg[0]);
	y = known_range(k, e->arg[1]);
	if (e->kind == EXPR_LT)
		y = range_add(y, (struct range){ -1, -1 });
	return x.hi <= y.lo ? HOLDS : x.lo > y.hi ? FAILS : UNKNOWN;
}
