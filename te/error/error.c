/* SPDX-License-Identifier: Apache-2.0 */
/* te/error/error.c - the reference DAG: each op's value in f64, its error where that varies, and at the
 * end the outputs with their bounds. */
#include "te/error/error.h"

#include <math.h>

#include "base/err.h"
#include "te/derive/fewer_products.h"
#include "te/error/error_term.h"

struct op *error_op(struct error_maker *m, const struct op *op, const char *suffix,
		    enum reducer reducer, const struct expr *body)
{
	struct axis *axis[2 * TENSOR_MAX_DIMS];
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
	int space = op->tensor.ndim;
	int n = space + (reducer == REDUCE_NONE ? 0 : op->nreduce);

	for (int i = 0; i < n; i++) {
		from[i] = i < space ? op->space[i] : op->reduce[i - space];
		axis[i] = dag_axis(m->to, from[i]->name, from[i]->hi);
		to[i] = expr_axis(m->a, axis[i]);
	}
	body = expr_substitute(m->a, body, from, to, n);
	return dag_reduce(m->to, arena_printf(m->a, "%s%s", op->tensor.name, suffix), axis, space,
			  reducer, axis + space, n - space, body);
}

const struct expr *error_at_space(struct error_maker *m, const struct op *op)
{
	const struct expr *index[TENSOR_MAX_DIMS];

	for (int i = 0; i < m->op->tensor.ndim; i++)
		index[i] = expr_axis(m->a, m->op->space[i]);
	return expr_load(m->a, &op->tensor, index);
}

/* Additions of N terms, in units of roundoff of the sum of their magnitudes. */
static double growth(double n)
{
	return fmin(n, ERROR_LAMBDA * sqrt(n));
}

/* What a term of OP may be off beyond roundings of its sum, where another algorithm may compute that: so much
 * that all N are off by the share ERROR_DERIVED of what the sum usually is. Terms of independent numbers, evenly
 * from -x to x, have a root mean square of a third of the greatest product. */
static const struct expr *error_of_deriving(struct error_maker *m, const struct op *op,
					    const struct term *body, double n)
{
	if (!has_fewer_products(op))
		return NULL;
	double unit = precision_of_arithmetic(op->tensor.dtype).unit;

	return error_number(m, ERROR_DERIVED * unit * domain_reach(body->domain) / (3 * sqrt(n)));
}

static void error_of_sum(struct error_maker *m, const struct op *op, const struct term *body,
			 struct shadow *s)
{
	struct precision p = precision_of_arithmetic(op->tensor.dtype);
	struct domain partial = domain_of_op(op, (struct domain){ -domain_reach(body->domain),
								   domain_reach(body->domain),
								   body->domain.quantum });
	double n = op_terms(op);
	struct term share = *body;

	if (!domain_is_exact(partial, p))
		share.relative += growth(n) * p.unit;
	share.rest = error_plus(m, share.rest, error_of_deriving(m, op, body, n));
	if (body->domain.low >= 0 && !share.rest) {
		s->relative = share.relative;
		return;
	}
	const struct expr *error = error_whole(m, &share);

	if (error)
		s->error = error_op(m, op, "_error", REDUCE_SUM, error);
}

/* Only those that come within their error of the extreme may stand in for it. */
static void error_of_extreme(struct error_maker *m, const struct op *op, const struct term *body,
			     struct shadow *s)
{
	const struct expr *error = error_whole(m, body);

	if (!error)
		return;
	if (!body->rest) {
		s->relative = body->relative * (1 + 2 * body->relative);
		return;
	}
	const struct expr *behind =
		expr_binary(m->a, EXPR_SUB, error_at_space(m, s->value), body->value);

	behind = expr_cast(m->a, DTYPE_F64, expr_unary(m->a, EXPR_ABS, behind));
	s->error = error_op(m, op, "_error", REDUCE_MAX,
			  expr_select(m->a, expr_binary(m->a, EXPR_LE, behind, error), error,
				      error_number(m, 0)));
}

/* Relative errors add up. */
static void error_of_product(struct error_maker *m, const struct op *op, const struct term *body,
			     struct shadow *s)
{
	struct precision p = precision_of_arithmetic(op->tensor.dtype);
	double n = op_terms(op);
	double each = body->relative + (domain_is_exact(s->domain, p) ? 0 : p.unit);

	s->relative = exp(n * each) - 1;
	if (!body->rest)
		return;
	const struct expr *share = expr_binary(m->a, EXPR_DIV, body->rest, error_magnitude(m, body));
	const struct op *sum = error_op(m, op, "_relative", REDUCE_SUM, share);
	struct term product = { .value = error_at_space(m, s->value),
				.domain = { -INFINITY, INFINITY, 0 } };

	s->error = error_op(m, op, "_error", REDUCE_NONE,
			  error_times(m, error_magnitude(m, &product),
				      error_at_space(m, sum)));
}

static void add_shadow(struct error_maker *m, int i)
{
	const struct op *op = m->from->ops.at[i];
	struct shadow *s = &m->shadow[i];

	m->op = op;
	struct term body = error_term(m, op->body);

	s->value = error_op(m, op, "", op->reducer, body.value);
	s->domain = domain_of_op(op, body.domain);
	switch (op->reducer) {
	case REDUCE_NONE:
		s->relative = body.relative;
		if (body.rest)
			s->error = error_op(m, op, "_error", REDUCE_NONE, body.rest);
		break;
	case REDUCE_SUM:
		error_of_sum(m, op, &body, s);
		break;
	case REDUCE_MAX:
	case REDUCE_MIN:
		error_of_extreme(m, op, &body, s);
		break;
	case REDUCE_PROD:
		error_of_product(m, op, &body, s);
		break;
	}
}

/* Output I as a kernel stores it. */
static struct op *add_want(struct error_maker *m, int i)
{
	const struct op *op = m->from->ops.at[i];
	const struct expr *v = error_at_space(m, m->shadow[i].value);

	return error_op(m, op, "_want", REDUCE_NONE, expr_cast(m->a, op->tensor.dtype, v));
}

/* How far the roundings of value + error and value - error are from that of the value. The
 * reference of an f64 is itself one of the orders of evaluation: both may be off. */
static const struct expr *bound_of_float(struct error_maker *m, const struct op *op,
					 const struct op *want, const struct term *t,
					 const struct expr *error)
{
	const struct expr *off[2];

	if (op->tensor.dtype == DTYPE_F64)
		return expr_binary(m->a, EXPR_ADD, error, error);
	const struct expr *middle = expr_cast(m->a, DTYPE_F64, error_at_space(m, want));

	for (int i = 0; i < 2; i++) {
		const struct expr *end =
			expr_binary(m->a, i ? EXPR_SUB : EXPR_ADD, t->value, error);

		end = expr_cast(m->a, DTYPE_F64, expr_cast(m->a, op->tensor.dtype, end));
		off[i] = i ? expr_binary(m->a, EXPR_SUB, middle, end)
			   : expr_binary(m->a, EXPR_SUB, end, middle);
	}
	return expr_binary(m->a, EXPR_MAX, off[0], off[1]);
}

static struct op *add_bound(struct error_maker *m, int i, const struct op *want)
{
	const struct op *op = m->from->ops.at[i];
	const struct shadow *s = &m->shadow[i];
	struct term t = { .value = error_at_space(m, s->value), .relative = s->relative,
			  .domain = s->domain };

	if (s->error)
		t.rest = error_at_space(m, s->error);
	const struct expr *error = error_whole(m, &t);

	if (!error)
		error = error_number(m, 0);
	else if (dtype_is_float(op->tensor.dtype))
		error = bound_of_float(m, op, want, &t, error);
	return error_op(m, op, "_bound", REDUCE_NONE,
		      expr_cast(m->a, error_bound_type(op->tensor.dtype), error));
}

static void add_outputs(struct error_maker *m)
{
	struct op **want = arena_many(m->a, struct op *, m->from->ops.n);

	for (int i = 0; i < m->from->ops.n; i++) {
		m->op = m->from->ops.at[i];
		if (m->op->kind == OP_COMPUTE && m->op->output) {
			want[i] = add_want(m, i);
			want[i]->output = true;
		}
	}
	for (int i = 0; i < m->from->ops.n; i++) {
		m->op = m->from->ops.at[i];
		if (want[i])
			add_bound(m, i, want[i])->output = true;
	}
}

/* Errors that nobody asked for. */
static void drop_unread(struct dag *d)
{
	for (int i = d->ops.n - 1; i >= 0; i--) {
		const struct op *op = d->ops.at[i];

		if (op->kind == OP_COMPUTE && !op->output && dag_consumers(d, &op->tensor) == 0)
			vec_remove(&d->ops, i);
	}
}

struct dag *error_dag(struct arena *a, const struct dag *d, struct domain *of)
{
	struct error_maker m = { .a = a, .from = d, .to = dag_new(a, d->name),
				 .shadow = arena_many(a, struct shadow, d->ops.n) };

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind == OP_COMPUTE) {
			add_shadow(&m, i);
			of[i] = m.shadow[i].domain;
			continue;
		}
		m.shadow[i].domain = of[i];
		m.shadow[i].value = dag_input(m.to, op->tensor.name, op->tensor.dtype,
					      op->tensor.ndim, op->tensor.shape,
					      op->kind == OP_CONST);
	}
	add_outputs(&m);
	drop_unread(m.to);
	return dag_freeze(m.to) < 0 ? NULL : m.to;
}
