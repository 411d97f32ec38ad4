/* SPDX-License-Identifier: Apache-2.0 */
/* te/error/error_term.c - running error analysis: expressions with their errors, roundings, loads,
 * conditions. */
#include "te/error/error_term.h"

#include <float.h>
#include <math.h>

#include "base/err.h"

/* So near the end of a type's range, relatively, a right kernel may be on either side. */
#define NEAR_END     0x1p-9
/* An expression of more nodes becomes an op of its own: rules repeat their operands. */
enum { PART_NODES = 48 };

const struct expr *error_number(struct error_maker *m, double v)
{
	return expr_const(m->a, DTYPE_F64, v);
}

const struct expr *error_binary(struct error_maker *m, enum expr_kind k, const struct expr *x,
				 const struct expr *y)
{
	return expr_binary(m->a, k, x, y);
}

const struct expr *error_choose(struct error_maker *m, const struct expr *cond,
				 const struct expr *x, const struct expr *y)
{
	return expr_select(m->a, cond, x, y);
}

const struct expr *error_plus(struct error_maker *m, const struct expr *x, const struct expr *y)
{
	return !x ? y : !y ? x : error_binary(m, EXPR_ADD, x, y);
}

const struct expr *error_times(struct error_maker *m, const struct expr *x, const struct expr *y)
{
	return x && y ? error_binary(m, EXPR_MUL, x, y) : NULL;
}

const struct expr *error_scaled(struct error_maker *m, double factor, const struct expr *x)
{
	if (factor == 0 || !x)
		return NULL;
	return factor == 1 ? x : error_times(m, error_number(m, factor), x);
}

const struct expr *error_or_zero(struct error_maker *m, const struct expr *x)
{
	return x ? x : error_number(m, 0);
}

const struct expr *error_f64(struct error_maker *m, const struct term *t)
{
	return expr_cast(m->a, DTYPE_F64, t->value);
}

const struct expr *error_magnitude(struct error_maker *m, const struct term *t)
{
	const struct expr *v = error_f64(m, t);

	return t->domain.low >= 0 ? v : expr_unary(m->a, EXPR_ABS, v);
}

/* What is known to be infinite has no error. */
static const struct expr *unless_infinite(struct error_maker *m, const struct term *t,
					  const struct expr *error)
{
	if (!error || isfinite(domain_reach(t->domain)))
		return error;
	return error_choose(m, error_binary(m, EXPR_LT, error_magnitude(m, t), error_number(m, INFINITY)),
		      error, error_number(m, 0));
}

const struct expr *error_whole(struct error_maker *m, const struct term *t)
{
	const struct expr *share = error_scaled(m, t->relative, error_magnitude(m, t));

	return error_plus(m, unless_infinite(m, t, share), t->rest);
}

/* Values beyond the type's range become infinite, those near its end either. */
static struct term overflowed(struct error_maker *m, struct term t, double greatest)
{
	int end;	/* 2^end is the first power of two that does not fit */

	frexp(nextafter(greatest, 0), &end);
	/* So far up, f64 overflows just there; down again, nothing else has changed. */
	double scale = ldexp(1, DBL_MAX_EXP - end);
	const struct expr *size = error_magnitude(m, &t);
	const struct expr *error = error_whole(m, &t);

	if (error) {
		const struct expr *beyond =
			error_choose(m, error_binary(m, EXPR_LT, size, error_number(m, greatest * (1 + NEAR_END))),
			       error_number(m, INFINITY), error_number(m, 0));

		t.rest = error_times(m, error, error_choose(m, error_binary(m, EXPR_LT, size,
						      error_number(m, greatest * (1 - NEAR_END))),
						      error_number(m, 1), beyond));
	}
	t.relative = 0;
	t.value = error_binary(m, EXPR_MUL, error_binary(m, EXPR_MUL, t.value, error_number(m, scale)),
			 error_number(m, 1 / scale));
	t.domain.low = t.domain.low > -greatest ? t.domain.low : -INFINITY;
	t.domain.high = t.domain.high < greatest ? t.domain.high : INFINITY;
	return t;
}

struct term error_rounded(struct error_maker *m, struct term t, struct precision p, double units)
{
	if (!domain_is_exact(t.domain, p)) {
		t.relative += units * p.unit;
		if (units > 0 && domain_underflows(t.domain, p))
			t.rest = error_plus(m, t.rest, error_number(m, units * p.tiny));
	}
	/* f64 overflows by itself. */
	if (isfinite(p.greatest) && domain_overflows(t.domain, p))
		t = overflowed(m, t, p.greatest);
	return t;
}

/* --- leaves */

static struct term of_leaf(struct error_maker *m, const struct expr *e)
{
	enum trouble none;
	struct term t = { .value = e, .domain = domain_of_node(e, NULL, &none) };

	if (e->kind == EXPR_FLOAT)
		t.value = error_number(m, e->f);
	return t;
}

/* A kernel may have stored T, of an intermediate op, or have kept it as arithmetic gave it. */
static struct term stored(struct error_maker *m, enum dtype type, struct term t)
{
	struct precision kept = precision_of_arithmetic(type), p = precision_of_storage(type);

	t = error_rounded(m, t, kept, 0);
	if (p.bits == kept.bits)
		return t;
	bool overflows = domain_overflows(t.domain, p);

	p.greatest = INFINITY;
	t = error_rounded(m, t, p, 1);
	if (overflows)
		t.rest = error_choose(m, error_binary(m, EXPR_LT, error_magnitude(m, &t),
					  error_number(m, precision_of_storage(type).greatest)),
				error_or_zero(m, t.rest),
				unless_infinite(m, &t, error_number(m, INFINITY)));
	return t;
}

static struct term of_load(struct error_maker *m, const struct expr *e)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	const struct shadow *s = NULL;

	for (int i = 0; i < m->from->ops.n; i++)
		if (&m->from->ops.at[i]->tensor == e->tensor)
			s = &m->shadow[i];
	if (!s)
		die("tensor %s is not of DAG %s", e->tensor->name, m->from->name);
	for (int i = 0; i < e->tensor->ndim; i++)
		index[i] = error_term(m, e->index[i]).value;
	struct term t = { .value = expr_load(m->a, &s->value->tensor, index),
			  .relative = s->relative, .domain = s->domain };

	if (dtype_is_float(e->dtype))
		t.value = error_f64(m, &t);
	if (s->error)
		t.rest = expr_load(m->a, &s->error->tensor, index);
	return s->value->kind == OP_COMPUTE ? stored(m, e->dtype, t) : t;
}

/* --- conditions */

static const struct expr *is_uncertain(struct error_maker *m, const struct term *cond)
{
	return error_binary(m, EXPR_LT, error_number(m, 0), cond->rest);
}

const struct expr *error_greater(struct error_maker *m, const struct expr *x,
				  const struct expr *y)
{
	return !x ? y : !y ? x : error_binary(m, EXPR_MAX, x, y);
}

static bool note_index(const struct expr *e, void *user)
{
	if (e->dtype == DTYPE_BOOL && !e->loads && e->axes)
		*(bool *)user = true;
	return e->dtype == DTYPE_BOOL;
}

/* COND looks at axes: what stands behind it may be out of bounds elsewhere. */
static bool guards_indices(const struct expr *cond)
{
	bool guards = false;

	expr_visit(cond, note_index, &guards);
	return guards;
}

/* Where the condition may go either way, the error is up to the distance of the sides; unless one
 * of them must not be evaluated, because the condition guards its indices too. */
static struct term of_select(struct error_maker *m, const struct expr *e, const struct term *arg)
{
	struct term t = { .relative = fmax(arg[1].relative, arg[2].relative) };
	const struct expr *x = arg[1].rest, *y = arg[2].rest;

	if (x || y)
		t.rest = error_choose(m, arg[0].value, error_or_zero(m, x), error_or_zero(m, y));
	if (!arg[0].rest)
		return t;
	const struct expr *other = error_number(m, INFINITY);

	if (!guards_indices(e->arg[0])) {
		struct term apart = { .value = error_binary(m, EXPR_SUB, error_f64(m, &arg[1]),
						      error_f64(m, &arg[2])),
				      .domain = { -INFINITY, INFINITY, 0 } };

		other = error_plus(m, error_magnitude(m, &apart),
				   error_greater(m, error_whole(m, &arg[1]), error_whole(m, &arg[2])));
	}
	t.rest = error_plus(m, t.rest, error_choose(m, is_uncertain(m, &arg[0]), other,
					      error_number(m, 0)));
	return t;
}

/* --- all nodes */

static const struct expr *value_of(struct error_maker *m, const struct expr *e,
				   const struct term *arg)
{
	bool floats = dtype_is_float(e->dtype);

	switch (expr_kind_arity(e->kind)) {
	case 1:
		return e->kind == EXPR_CAST
		     ? expr_cast(m->a, floats ? DTYPE_F64 : e->dtype, arg[0].value)
		     : expr_unary(m->a, e->kind, arg[0].value);
	case 2:
		return error_binary(m, e->kind, arg[0].value, arg[1].value);
	default:
		return error_choose(m, arg[0].value, arg[1].value, arg[2].value);
	}
}

/* How far the node itself rounds to a type of BITS, in units of roundoff. */
static double units_of(const struct expr *e, int bits)
{
	switch (e->kind) {
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_MUL:
	case EXPR_DIV:
	case EXPR_SQRT:
		return 1;
	case EXPR_CAST:
		return bits < precision_of_arithmetic(e->arg[0]->dtype).bits;
	case EXPR_EXP:
	case EXPR_LOG:
	case EXPR_SIN:
	case EXPR_COS:
	case EXPR_POW:
		return ERROR_FUNCTION_UNITS;
	case EXPR_TANH:
	case EXPR_ERF:
		return ERROR_QUOTIENT_UNITS;
	default:
		return 0;
	}
}

static bool count_node(const struct expr *e, void *user)
{
	(void)e;
	return ++*(int *)user <= PART_NODES;
}

/* X, or where it has grown large a load of an op that computes it. */
static const struct expr *part(struct error_maker *m, const struct expr *x)
{
	int nodes = 0;

	expr_visit(x, count_node, &nodes);
	return nodes > PART_NODES ? error_at_space(m, error_op(m, m->op, "_part", REDUCE_NONE, x)) : x;
}

struct term error_term(struct error_maker *m, const struct expr *e)
{
	struct term arg[3];
	struct domain domain[3];
	enum trouble trouble;

	if (e->kind == EXPR_LOAD)
		return of_load(m, e);
	if (expr_kind_arity(e->kind) == 0)
		return of_leaf(m, e);
	bool guards = e->kind == EXPR_SELECT && guards_indices(e->arg[0]);

	m->guards += guards;
	for (int i = 0; i < expr_kind_arity(e->kind); i++) {
		arg[i] = error_term(m, e->arg[i]);
		domain[i] = arg[i].domain;
	}
	m->guards -= guards;
	const struct expr *v = value_of(m, e, arg);
	struct term t;

	if (e->kind == EXPR_SELECT)
		t = of_select(m, e, arg);
	else if (e->kind == EXPR_CAST)
		t = error_of_cast(m, e, arg);
	else if (expr_kind_arity(e->kind) == 1)
		t = error_of_unary(m, e, v, arg);
	else
		t = error_of_binary(m, e, v, arg, arg + 1);
	t.value = v;
	t.domain = domain_of_node(e, domain, &trouble);
	struct precision p = e->kind == EXPR_CAST ? precision_of_storage(e->dtype)
						  : precision_of_arithmetic(e->dtype);
	double units = units_of(e, p.bits);

	if (e->kind == EXPR_ADD || e->kind == EXPR_SUB || e->kind == EXPR_SQRT)
		p.tiny = 0;	/* exact where they are so small */
	if (units > 0)
		t = error_rounded(m, t, p, units);
	/* A body under a reduction would be too large a tensor, one under a select out of bounds. */
	if (!op_is_reduction(m->op) && m->guards == 0) {
		t.value = part(m, t.value);
		t.rest = t.rest ? part(m, t.rest) : NULL;
	}
	return t;
}
