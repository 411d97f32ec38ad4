/* SPDX-License-Identifier: Apache-2.0 */
/* te/error_term.c - running error analysis of expressions, one rule for each kind of node. */
#include "te/error_term.h"

#include <float.h>
#include <math.h>

#include "base/err.h"

/* Upper bounds of the derivative of erf, and of the second derivative of tanh. */
#define ERF_SLOPE    1.1284
#define TANH_CURVE   0.77
/* So near the end of a type's range, relatively, a right kernel may be on either side. */
#define NEAR_END     0x1p-9
/* An expression of more nodes becomes an op of its own: rules repeat their operands. */
enum { PART_NODES = 100 };

const struct expr *error_number(struct error_maker *m, double v)
{
	return expr_const(m->a, DTYPE_F64, v);
}

static const struct expr *binary(struct error_maker *m, enum expr_kind k, const struct expr *x,
				 const struct expr *y)
{
	return expr_binary(m->a, k, x, y);
}

static const struct expr *choose(struct error_maker *m, const struct expr *cond,
				 const struct expr *x, const struct expr *y)
{
	return expr_select(m->a, cond, x, y);
}

const struct expr *error_plus(struct error_maker *m, const struct expr *x, const struct expr *y)
{
	return !x ? y : !y ? x : binary(m, EXPR_ADD, x, y);
}

const struct expr *error_times(struct error_maker *m, const struct expr *x, const struct expr *y)
{
	return x && y ? binary(m, EXPR_MUL, x, y) : NULL;
}

static const struct expr *scaled(struct error_maker *m, double factor, const struct expr *x)
{
	if (factor == 0 || !x)
		return NULL;
	return factor == 1 ? x : error_times(m, error_number(m, factor), x);
}

static const struct expr *or_zero(struct error_maker *m, const struct expr *x)
{
	return x ? x : error_number(m, 0);
}

static const struct expr *as_f64(struct error_maker *m, const struct term *t)
{
	return expr_cast(m->a, DTYPE_F64, t->value);
}

const struct expr *error_magnitude(struct error_maker *m, const struct term *t)
{
	const struct expr *v = as_f64(m, t);

	return t->domain.low >= 0 ? v : expr_unary(m->a, EXPR_ABS, v);
}

/* What is known to be infinite has no error. */
static const struct expr *unless_infinite(struct error_maker *m, const struct term *t,
					  const struct expr *error)
{
	if (!error || isfinite(domain_reach(t->domain)))
		return error;
	return choose(m, binary(m, EXPR_LT, error_magnitude(m, t), error_number(m, INFINITY)),
		      error, error_number(m, 0));
}

const struct expr *error_whole(struct error_maker *m, const struct term *t)
{
	const struct expr *share = scaled(m, t->relative, error_magnitude(m, t));

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
			choose(m, binary(m, EXPR_LT, size, error_number(m, greatest * (1 + NEAR_END))),
			       error_number(m, INFINITY), error_number(m, 0));

		t.rest = error_times(m, error, choose(m, binary(m, EXPR_LT, size,
						      error_number(m, greatest * (1 - NEAR_END))),
						      error_number(m, 1), beyond));
	}
	t.relative = 0;
	t.value = binary(m, EXPR_MUL, binary(m, EXPR_MUL, t.value, error_number(m, scale)),
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
		t.rest = choose(m, binary(m, EXPR_LT, error_magnitude(m, &t),
					  error_number(m, precision_of_storage(type).greatest)),
				or_zero(m, t.rest),
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
		t.value = as_f64(m, &t);
	if (s->error)
		t.rest = expr_load(m->a, &s->error->tensor, index);
	return s->value->kind == OP_COMPUTE ? stored(m, e->dtype, t) : t;
}

/* --- conditions */

static const struct expr *is_uncertain(struct error_maker *m, const struct term *cond)
{
	return binary(m, EXPR_LT, error_number(m, 0), cond->rest);
}

/* The sides are nearer to each other than their errors. */
static struct term of_comparison(struct error_maker *m, const struct term *x, const struct term *y)
{
	struct term t = { 0 };
	const struct expr *error = error_plus(m, error_whole(m, x), error_whole(m, y));

	if (!error)
		return t;
	const struct expr *distance = expr_unary(
		m->a, EXPR_ABS, binary(m, EXPR_SUB, as_f64(m, x), as_f64(m, y)));

	t.rest = choose(m, binary(m, EXPR_LT, distance, error), error_number(m, 1),
			error_number(m, 0));
	return t;
}

static const struct expr *greater(struct error_maker *m, const struct expr *x,
				  const struct expr *y)
{
	return !x ? y : !y ? x : binary(m, EXPR_MAX, x, y);
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
		t.rest = choose(m, arg[0].value, or_zero(m, x), or_zero(m, y));
	if (!arg[0].rest)
		return t;
	const struct expr *other = error_number(m, INFINITY);

	if (!guards_indices(e->arg[0])) {
		struct term apart = { .value = binary(m, EXPR_SUB, as_f64(m, &arg[1]),
						      as_f64(m, &arg[2])),
				      .domain = { -INFINITY, INFINITY, 0 } };

		other = error_plus(m, error_magnitude(m, &apart),
				   greater(m, error_whole(m, &arg[1]), error_whole(m, &arg[2])));
	}
	t.rest = error_plus(m, t.rest, choose(m, is_uncertain(m, &arg[0]), other,
					      error_number(m, 0)));
	return t;
}

/* --- arithmetic */

static struct term of_sum(struct error_maker *m, const struct term *x, const struct term *y)
{
	return (struct term){ .rest = error_plus(m, error_whole(m, x), error_whole(m, y)) };
}

static struct term of_product(struct error_maker *m, const struct term *x, const struct term *y)
{
	struct term t = { .relative = x->relative + y->relative + x->relative * y->relative };

	t.rest = error_plus(m, error_times(m, error_magnitude(m, x), y->rest),
			    error_times(m, error_magnitude(m, y), x->rest));
	t.rest = error_plus(m, t.rest, error_times(m, x->rest, y->rest));
	t.rest = scaled(m, 1 + x->relative + y->relative, t.rest);
	return t;
}

/* (ex + |x / y| ey) / (|y| - ey); integers may fall to the next one too. */
static struct term of_quotient(struct error_maker *m, const struct expr *v, const struct term *x,
			       const struct term *y)
{
	bool whole = !dtype_is_float(v->dtype);
	struct term t = { .relative = x->relative + y->relative / (1 - y->relative) };
	struct term quotient = { .value = v, .domain = { -INFINITY, INFINITY, 0 } };

	if (!x->rest && !y->rest)
		return t;
	const struct expr *above = error_plus(
		m, x->rest, error_times(m, error_magnitude(m, &quotient), y->rest));
	const struct expr *below = error_magnitude(m, y);

	if (y->rest)
		below = binary(m, EXPR_MAX, binary(m, EXPR_SUB, below, error_whole(m, y)),
			       error_number(m, 0));
	t.rest = binary(m, EXPR_DIV, above, below);
	if (whole)
		t.rest = choose(m, binary(m, EXPR_LT, error_number(m, 0), above),
				error_plus(m, t.rest, error_number(m, 1)), error_number(m, 0));
	return t;
}

/* The error that X brings to the greater of X and Y, which is BY ahead of it: none where it cannot
 * catch up. */
static const struct expr *contender(struct error_maker *m, const struct expr *ex,
				    const struct expr *both, const struct expr *by)
{
	return ex ? choose(m, binary(m, EXPR_LT, both, by), error_number(m, 0), ex) : NULL;
}

static struct term of_extreme(struct error_maker *m, enum expr_kind k, const struct term *x,
			      const struct term *y)
{
	const struct expr *ex = error_whole(m, x), *ey = error_whole(m, y);
	const struct expr *both = error_plus(m, ex, ey);
	const struct expr *u = as_f64(m, x), *v = as_f64(m, y);
	const struct expr *ahead = binary(m, EXPR_SUB, k == EXPR_MAX ? v : u, k == EXPR_MAX ? u : v);

	return (struct term){
		.rest = greater(m, contender(m, ex, both, ahead),
				contender(m, ey, both, expr_unary(m->a, EXPR_NEG, ahead))),
	};
}

/* |x^y| (|y| ex / (|x| - ex) + |log x| ey). */
static struct term of_power(struct error_maker *m, const struct expr *v, const struct term *x,
			    const struct term *y)
{
	struct term power = { .value = v, .domain = { -INFINITY, INFINITY, 0 } };
	const struct expr *ex = error_whole(m, x), *ey = error_whole(m, y);
	const struct expr *size = error_magnitude(m, x);
	const struct expr *sum = NULL;

	if (ex) {
		const struct expr *below = binary(m, EXPR_MAX, binary(m, EXPR_SUB, size, ex),
						  error_number(m, 0));

		sum = binary(m, EXPR_DIV, error_times(m, error_magnitude(m, y), ex), below);
	}
	if (ey) {
		const struct expr *slope = expr_unary(m->a, EXPR_ABS,
						      expr_unary(m->a, EXPR_LOG, size));

		sum = error_plus(m, sum, error_times(m, slope, ey));
	}
	return (struct term){ .rest = error_times(m, error_magnitude(m, &power), sum) };
}

static struct term of_binary(struct error_maker *m, const struct expr *e, const struct expr *v,
			     const struct term *x, const struct term *y)
{
	switch (e->kind) {
	case EXPR_ADD:
	case EXPR_SUB:
		return of_sum(m, x, y);
	case EXPR_MUL:
		return of_product(m, x, y);
	case EXPR_DIV:
		return of_quotient(m, v, x, y);
	case EXPR_MIN:
	case EXPR_MAX:
		return of_extreme(m, e->kind, x, y);
	case EXPR_POW:
		return of_power(m, v, x, y);
	case EXPR_AND:
	case EXPR_OR:
		return (struct term){ .rest = greater(m, x->rest, y->rest) };
	case EXPR_MOD:
		if (!x->rest && !y->rest)
			return (struct term){ 0 };
		return (struct term){ .rest = error_magnitude(m, y) };
	default:
		return of_comparison(m, x, y);
	}
}

/* f(x + ex) - f(x - ex) of a function that never falls. */
static const struct expr *spread(struct error_maker *m, const struct expr *e, const struct term *x)
{
	const struct expr *error = error_whole(m, x);
	const struct expr *at[2];

	if (!error)
		return NULL;
	for (int i = 0; i < 2; i++) {
		at[i] = binary(m, i ? EXPR_ADD : EXPR_SUB, x->value, error);
		at[i] = e->kind == EXPR_CAST
		      ? expr_cast(m->a, DTYPE_F64, expr_cast(m->a, DTYPE_I64, at[i]))
		      : expr_unary(m->a, e->kind, at[i]);
	}
	return binary(m, EXPR_SUB, at[1], at[0]);
}

/* At most sqrt(ex), and ex / sqrt(x). */
static struct term of_sqrt(struct error_maker *m, const struct expr *v, const struct term *x)
{
	struct term t = { .relative = (0.5 + x->relative) * x->relative };

	if (!x->rest)
		return t;
	const struct expr *most = expr_unary(m->a, EXPR_SQRT, x->rest);
	const struct expr *slope = binary(m, EXPR_DIV, x->rest, v);

	t.rest = choose(m, binary(m, EXPR_LT, slope, most), slope, most);
	/* A right kernel may be left with the root of a negative number. */
	if (x->domain.low < 0)
		t.rest = choose(m, binary(m, EXPR_LT, x->value, x->rest), error_number(m, INFINITY),
				t.rest);
	return t;
}

/* V is the function's value. exp: e^x ex e^ex; log: ex / (x - ex); the others by their slope. */
static struct term of_unary(struct error_maker *m, const struct expr *e, const struct expr *v,
			    const struct term *x)
{
	const struct expr *error = error_whole(m, x);
	const struct expr *slope = NULL;

	switch (e->kind) {
	case EXPR_NEG:
	case EXPR_ABS:
	case EXPR_NOT:
		return (struct term){ .relative = x->relative, .rest = x->rest };
	case EXPR_SQRT:
		return of_sqrt(m, v, x);
	case EXPR_EXP:
		slope = error ? error_times(m, v, expr_unary(m->a, EXPR_EXP, error)) : NULL;
		break;
	case EXPR_LOG:
		slope = error ? binary(m, EXPR_DIV, error_number(m, 1),
				       binary(m, EXPR_MAX, binary(m, EXPR_SUB, x->value, error),
					      error_number(m, 0)))
			      : NULL;
		break;
	case EXPR_TANH:
		slope = binary(m, EXPR_SUB, error_number(m, 1), binary(m, EXPR_MUL, v, v));
		slope = error_plus(m, slope, scaled(m, TANH_CURVE, error));
		break;
	case EXPR_ERF:
		slope = error_number(m, ERF_SLOPE);
		break;
	default:
		return (struct term){ .rest = spread(m, e, x) };
	}
	return (struct term){ .rest = error_times(m, error, slope) };
}

static struct term of_cast(struct error_maker *m, const struct expr *e, const struct term *x)
{
	enum dtype from = e->arg[0]->dtype;

	if (dtype_is_float(e->dtype) && dtype_is_float(from))
		return (struct term){ .relative = x->relative, .rest = x->rest };
	if (e->dtype == DTYPE_BOOL) {
		struct term zero = { .value = expr_const(m->a, x->value->dtype, 0) };

		return of_comparison(m, x, &zero);
	}
	return (struct term){ .rest = dtype_is_float(from) ? spread(m, e, x) : x->rest };
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
		return binary(m, e->kind, arg[0].value, arg[1].value);
	default:
		return choose(m, arg[0].value, arg[1].value, arg[2].value);
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
	case EXPR_TANH:
	case EXPR_ERF:
	case EXPR_POW:
		return ERROR_FUNCTION_UNITS;
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
		t = of_cast(m, e, arg);
	else if (expr_kind_arity(e->kind) == 1)
		t = of_unary(m, e, v, arg);
	else
		t = of_binary(m, e, v, arg, arg + 1);
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
