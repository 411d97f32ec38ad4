/* SPDX-License-Identifier: Apache-2.0 */
/* te/error/error_rules.c - running error analysis: what each operation makes of its operands' errors. */
#include <math.h>

#include "te/error/error_term.h"

/* Upper bounds of the derivative of erf, and of the second derivative of tanh. */
#define ERF_SLOPE    1.1284
#define TANH_CURVE   0.77

/* The sides are nearer to each other than their errors. */
static struct term of_comparison(struct error_maker *m, const struct term *x, const struct term *y)
{
	struct term t = { 0 };
	const struct expr *error = error_plus(m, error_whole(m, x), error_whole(m, y));

	if (!error)
		return t;
	const struct expr *distance = expr_unary(
		m->a, EXPR_ABS, error_binary(m, EXPR_SUB, error_f64(m, x), error_f64(m, y)));

	t.rest = error_choose(m, error_binary(m, EXPR_LT, distance, error), error_number(m, 1),
			error_number(m, 0));
	return t;
}

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
	t.rest = error_scaled(m, 1 + x->relative + y->relative, t.rest);
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
		below = error_binary(m, EXPR_MAX, error_binary(m, EXPR_SUB, below, error_whole(m, y)),
			       error_number(m, 0));
	t.rest = error_binary(m, EXPR_DIV, above, below);
	if (whole)
		t.rest = error_choose(m, error_binary(m, EXPR_LT, error_number(m, 0), above),
				error_plus(m, t.rest, error_number(m, 1)), error_number(m, 0));
	return t;
}

/* The error that X brings to the greater of X and Y, which is BY ahead of it: none where it cannot
 * catch up. */
static const struct expr *contender(struct error_maker *m, const struct expr *ex,
				    const struct expr *both, const struct expr *by)
{
	return ex ? error_choose(m, error_binary(m, EXPR_LT, both, by), error_number(m, 0), ex) : NULL;
}

static struct term of_extreme(struct error_maker *m, enum expr_kind k, const struct term *x,
			      const struct term *y)
{
	const struct expr *ex = error_whole(m, x), *ey = error_whole(m, y);
	const struct expr *both = error_plus(m, ex, ey);
	const struct expr *u = error_f64(m, x), *v = error_f64(m, y);
	const struct expr *ahead = error_binary(m, EXPR_SUB, k == EXPR_MAX ? v : u, k == EXPR_MAX ? u : v);

	return (struct term){
		.rest = error_greater(m, contender(m, ex, both, ahead),
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
		const struct expr *below = error_binary(m, EXPR_MAX, error_binary(m, EXPR_SUB, size, ex),
						  error_number(m, 0));

		sum = error_binary(m, EXPR_DIV, error_times(m, error_magnitude(m, y), ex), below);
	}
	if (ey) {
		const struct expr *slope = expr_unary(m->a, EXPR_ABS,
						      expr_unary(m->a, EXPR_LOG, size));

		sum = error_plus(m, sum, error_times(m, slope, ey));
	}
	return (struct term){ .rest = error_times(m, error_magnitude(m, &power), sum) };
}

struct term error_of_binary(struct error_maker *m, const struct expr *e, const struct expr *v,
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
		return (struct term){ .rest = error_greater(m, x->rest, y->rest) };
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
		at[i] = error_binary(m, i ? EXPR_ADD : EXPR_SUB, x->value, error);
		at[i] = e->kind == EXPR_CAST
		      ? expr_cast(m->a, DTYPE_F64, expr_cast(m->a, DTYPE_I64, at[i]))
		      : expr_unary(m->a, e->kind, at[i]);
	}
	return error_binary(m, EXPR_SUB, at[1], at[0]);
}

/* At most sqrt(ex), and ex / sqrt(x). */
static struct term of_sqrt(struct error_maker *m, const struct expr *v, const struct term *x)
{
	struct term t = { .relative = (0.5 + x->relative) * x->relative };

	if (!x->rest)
		return t;
	const struct expr *most = expr_unary(m->a, EXPR_SQRT, x->rest);
	const struct expr *slope = error_binary(m, EXPR_DIV, x->rest, v);

	t.rest = error_choose(m, error_binary(m, EXPR_LT, slope, most), slope, most);
	/* A right kernel may be left with the root of a negative number. */
	if (x->domain.low < 0)
		t.rest = error_choose(m, error_binary(m, EXPR_LT, x->value, x->rest), error_number(m, INFINITY),
				t.rest);
	return t;
}

/* exp: e^x ex e^ex; log: ex / (x - ex); the others by their slope. */
struct term error_of_unary(struct error_maker *m, const struct expr *e, const struct expr *v,
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
		slope = error ? error_binary(m, EXPR_DIV, error_number(m, 1),
				       error_binary(m, EXPR_MAX, error_binary(m, EXPR_SUB, x->value, error),
					      error_number(m, 0)))
			      : NULL;
		break;
	case EXPR_SIN:
	case EXPR_COS:
		slope = error_number(m, 1);
		break;
	case EXPR_TANH:
		slope = error_binary(m, EXPR_SUB, error_number(m, 1), error_binary(m, EXPR_MUL, v, v));
		slope = error_plus(m, slope, error_scaled(m, TANH_CURVE, error));
		break;
	case EXPR_ERF:
		slope = error_number(m, ERF_SLOPE);
		break;
	default:
		return (struct term){ .rest = spread(m, e, x) };
	}
	return (struct term){ .rest = error_times(m, error, slope) };
}

struct term error_of_cast(struct error_maker *m, const struct expr *e, const struct term *x)
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
