/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/bulk_expr.c - characters of indices, values and conditions, as codegen/ writes them. */
#include <math.h>

#include "schedule/bulk.h"
#include "te/index.h"

static bool is_known_axis(const struct meter *m, const struct axis *axis)
{
	for (int i = m->n - 1; i >= 0; i--)
		if (m->open[i].axis == axis)
			return m->open[i].known;
	return false;
}

bool bulk_knows(const struct meter *m, const struct expr *e)
{
	int n = expr_kind_arity(e->kind);

	if (e->kind == EXPR_AXIS)
		return is_known_axis(m, e->axis);
	for (int i = 0; i < n; i++)
		if (!bulk_knows(m, e->arg[i]))
			return false;
	return e->kind != EXPR_LOAD;
}

bool bulk_uses_lanes(const struct meter *m, const struct expr *e)
{
	return m->vector && expr_uses_axis(e, m->vector);
}

static int digits(int64_t v)
{
	int n = v < 0 ? 2 : 1;

	while (v >= 10 || v <= -10) {
		v /= 10;
		n++;
	}
	return n;
}

/* --- indices */

/* A sum: what is a number in each copy, from one to the next STEP apart, and what stays a
 * variable. */
struct sum {
	struct range known, open;
	int64_t step;		/* 0: one number */
	double text;		/* of the terms that stay */
};

static struct range scaled(struct range r, int64_t factor)
{
	return factor < 0 ? (struct range){ r.hi * factor, r.lo * factor }
			  : (struct range){ r.lo * factor, r.hi * factor };
}

static int64_t common_divisor(int64_t x, int64_t y)
{
	while (y) {
		int64_t rest = x % y;

		x = y;
		y = rest;
	}
	return x < 0 ? -x : x;
}

static void add_atom(const struct meter *m, struct sum *s, const struct expr *e, int64_t factor)
{
	struct range r = scaled(expr_range(e), factor);
	bool axis = e->kind == EXPR_AXIS;

	if (bulk_knows(m, e)) {
		s->known = range_add(s->known, r);
		s->step = common_divisor(factor, s->step);
		return;
	}
	s->open = range_add(s->open, r);
	if (axis && e->axis == m->vector)
		return;		/* it is in the pointer's type */
	s->text += 3 + (axis ? (double)strlen(e->axis->name) + SUFFIX : bulk_length(m, e));
	if (factor != 1)
		s->text += 3 + digits(factor);
}

/* s += factor * e. */
static void add_sum(const struct meter *m, struct sum *s, const struct expr *e, int64_t factor)
{
	int64_t v;

	if (e->kind == EXPR_INT) {
		s->known = range_add(s->known, scaled((struct range){ e->i, e->i }, factor));
	} else if (e->kind == EXPR_ADD || e->kind == EXPR_SUB) {
		add_sum(m, s, e->arg[0], factor);
		add_sum(m, s, e->arg[1], e->kind == EXPR_SUB ? -factor : factor);
	} else if (e->kind == EXPR_MUL && expr_is_int(e->arg[1], &v)) {
		add_sum(m, s, e->arg[0], factor * v);
	} else {
		add_atom(m, s, e, factor);
	}
}

static double sum_length(const struct sum *s)
{
	return s->text + digits(s->known.hi);
}

static double index_length(const struct meter *m, const struct expr *e)
{
	struct sum s = { 0 };

	add_sum(m, &s, e, 1);
	return sum_length(&s);
}

/* An element, or a vector of them where VECTOR. */
double bulk_cell(const struct meter *m, const struct tensor *t,
			  const struct expr *const *index, bool vector)
{
	double name = (double)strlen(t->name);
	struct sum s = { 0 };
	int64_t row = 1;

	if (buffer_of(t)->registers)
		return name + SLOT;
	for (int d = t->ndim - 1; d >= 0; d--) {
		add_sum(m, &s, index[d], row);
		row *= t->shape[d];
	}
	return name + SUFFIX + sum_length(&s) + (vector ? POINTER : ELEMENT);
}

/* --- conditions */

static bool compares(const struct expr *e, enum dtype t)
{
	return e->kind >= EXPR_LT && e->kind <= EXPR_NE && e->arg[0]->dtype == t;
}

/* Of the numbers that S's known part takes. */
static double share_at_least(const struct sum *s, int64_t bound)
{
	struct range r = s->known;

	if (bound <= r.lo)
		return 1;
	if (bound > r.hi)
		return 0;
	return (double)((r.hi - bound) / s->step + 1) / (double)((r.hi - r.lo) / s->step + 1);
}

/* Of left <= right, or left < right where STRICT. */
static struct share share_of_order(const struct meter *m, const struct expr *e, bool strict)
{
	struct sum s = { 0 };

	add_sum(m, &s, e->arg[1], 1);
	add_sum(m, &s, e->arg[0], -1);
	return (struct share){ share_at_least(&s, strict - s.open.lo),
			       1 - share_at_least(&s, strict - s.open.hi) };
}

static struct share share_of_equality(const struct meter *m, const struct expr *e)
{
	struct sum s = { 0 };

	add_sum(m, &s, e->arg[1], 1);
	add_sum(m, &s, e->arg[0], -1);
	if (s.open.lo != s.open.hi)
		return (struct share){ 0, 0 };
	double equal = share_at_least(&s, -s.open.lo) - share_at_least(&s, 1 - s.open.lo);

	return e->kind == EXPR_EQ ? (struct share){ equal, 1 - equal }
				  : (struct share){ 1 - equal, equal };
}

struct share bulk_share(const struct meter *m, const struct expr *e)
{
	struct share x, y;

	if (compares(e, DTYPE_I64))
		return e->kind <= EXPR_LE ? share_of_order(m, e, e->kind == EXPR_LT)
					  : share_of_equality(m, e);
	switch (e->kind) {
	case EXPR_NOT:
		x = bulk_share(m, e->arg[0]);
		return (struct share){ x.fails, x.holds };
	case EXPR_AND:
		x = bulk_share(m, e->arg[0]);
		y = bulk_share(m, e->arg[1]);
		return (struct share){ x.holds * y.holds,
				       1 - (1 - x.fails) * (1 - y.fails) };
	case EXPR_OR:
		x = bulk_share(m, e->arg[0]);
		y = bulk_share(m, e->arg[1]);
		return (struct share){ 1 - (1 - x.holds) * (1 - y.holds), x.fails * y.fails };
	default:
		return (struct share){ 0, 0 };
	}
}

/* --- values */

/* The lanes one by one. */
static double by_lane(const struct meter *m, const struct expr *e)
{
	struct meter one = *m;

	one.vector = NULL;
	one.open[one.n++] = (struct open_axis){ m->vector, true };
	return m->lanes * (2 + bulk_length(&one, e)) + CALL;
}

static double select_length(const struct meter *m, const struct expr *e)
{
	struct share c = bulk_share(m, e->arg[0]);
	double open = 1 - c.holds - c.fails;
	double x = bulk_length(m, e->arg[1]), y = bulk_length(m, e->arg[2]);
	double decided = c.holds * x + c.fails * y;

	if (open <= 0)
		return decided;
	if (bulk_uses_lanes(m, e->arg[0]) && !compares(e->arg[0], e->dtype))	/* no mask */
		return decided + open * by_lane(m, e);
	return decided + open * (CHOICE + bulk_length(m, e->arg[0]) + x + y +
				 (bulk_uses_lanes(m, e) ? BLEND : 0));
}

/* Between a narrow type and f32. */
static bool is_conversion(const struct expr *e)
{
	return e->kind == EXPR_CAST &&
	       (dtype_is_narrow(e->arg[0]->dtype) ||
		(dtype_is_narrow(e->dtype) && e->arg[0]->dtype == DTYPE_F32));
}

static bool has_vector_form(const struct expr *e)
{
	if (e->kind == EXPR_LOAD || is_conversion(e))
		return true;
	if (e->dtype != DTYPE_F32 && e->dtype != DTYPE_F64)
		return false;
	switch (e->kind) {
	case EXPR_SELECT:
	case EXPR_MIN:
	case EXPR_MAX:
	case EXPR_NEG:
	case EXPR_EXP:
	case EXPR_CAST:
		return true;
	default:
		return expr_kind_form(e->kind) == FORM_INFIX;
	}
}

static double call_length(const struct meter *m, const struct expr *e)
{
	double sum = CALL;

	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		sum += 2 + bulk_length(m, e->arg[i]);
	return sum;
}

static double float_length(double v)
{
	if (!isfinite(v))
		return INFINITE;
	return v < floor(v) || v > floor(v) ? FRACTION : 4;
}

/* What add_sum takes apart. */
static bool is_sum(const struct expr *e)
{
	return e->dtype == DTYPE_I64 &&
	       (e->kind == EXPR_ADD || e->kind == EXPR_SUB ||
		(e->kind == EXPR_MUL && expr_is_int(e->arg[1], NULL)));
}

double bulk_length(const struct meter *m, const struct expr *e)
{
	bool vector = bulk_uses_lanes(m, e);

	if (vector && !has_vector_form(e))
		return by_lane(m, e);
	switch (e->kind) {
	case EXPR_INT:
		return digits(e->i);
	case EXPR_FLOAT:
		return float_length(e->f);
	case EXPR_AXIS:
		return index_length(m, e);
	case EXPR_LOAD:
		return bulk_cell(m, e->tensor, e->index, vector) +
		       (vector ? CONST_POINTER : 0);
	case EXPR_SELECT:
		return select_length(m, e);
	case EXPR_CAST:
		return bulk_length(m, e->arg[0]) + (is_conversion(e) ? NARROW
						    : vector	     ? CONVERT
								     : CAST);
	default:
		break;
	}
	if (is_sum(e))
		return 2 + index_length(m, e);
	if (expr_kind_form(e->kind) != FORM_INFIX)
		return call_length(m, e);
	bool wraps = e->dtype != DTYPE_BOOL && !dtype_is_float(e->dtype) && e->kind <= EXPR_MUL;

	return 5 + bulk_length(m, e->arg[0]) + bulk_length(m, e->arg[1]) + (wraps ? WRAP : 0);
}
