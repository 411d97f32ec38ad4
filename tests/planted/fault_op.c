/* SPDX-License-Identifier: Apache-2.0 */
/* tests/planted/fault_op.c - faults that change an expression of an op. */
#include <math.h>

#include "te/scalar.h"
#include "tests/planted/fault.h"

static const struct expr *equal(struct arena *a, const struct axis *axis, int64_t value)
{
	return expr_binary(a, EXPR_EQ, expr_axis(a, axis), expr_int(a, value));
}

static const struct expr *both(struct arena *a, const struct expr *x, const struct expr *y)
{
	return x ? expr_binary(a, EXPR_AND, x, y) : y;
}

/* True at one random element of OP; NULL: there is but one. */
static const struct expr *at_element(struct arena *a, struct rng *r, const struct op *op)
{
	const struct expr *at = NULL;

	for (int i = 0; i < op->tensor.ndim; i++)
		at = both(a, at, equal(a, op->space[i], rng_below(r, op->space[i]->hi)));
	return at;
}

static const struct expr *only_at(struct arena *a, const struct expr *at, const struct expr *x,
				  const struct expr *otherwise)
{
	return at ? expr_select(a, at, x, otherwise) : x;
}

static const struct expr *at_term(struct arena *a, struct rng *r, const struct op *op)
{
	const struct expr *at = at_element(a, r, op);

	for (int i = 0; i < op->nreduce; i++)
		at = both(a, at, equal(a, op->reduce[i], rng_below(r, op->reduce[i]->hi)));
	return at;
}

static const struct expr *identity(struct arena *a, const struct op *op)
{
	return expr_const(a, op->tensor.dtype, reducer_identity(op->reducer, op->tensor.dtype));
}

bool fault_term_dropped(struct arena *a, struct rng *r, struct op *op)
{
	if (op->reducer != REDUCE_SUM)
		return false;
	op->body = only_at(a, at_term(a, r, op), identity(a, op), op->body);
	return true;
}

bool fault_last_terms_dropped(struct arena *a, struct rng *r, struct op *op)
{
	if (op->reducer == REDUCE_NONE)
		return false;
	const struct axis *axis = op->reduce[rng_below(r, op->nreduce)];

	op->body = expr_select(a, equal(a, axis, axis->hi - 1), identity(a, op), op->body);
	return true;
}

bool fault_term_doubled(struct arena *a, struct rng *r, struct op *op)
{
	if (op->reducer != REDUCE_SUM)
		return false;
	op->body = only_at(a, at_term(a, r, op),
			   expr_binary(a, EXPR_ADD, op->body, op->body), op->body);
	return true;
}

bool fault_wrong_start(struct arena *a, struct rng *r, struct op *op)
{
	const struct expr *first = NULL;
	enum dtype t = op->tensor.dtype;

	(void)r;
	if (op->reducer != REDUCE_SUM && op->reducer != REDUCE_MAX)
		return false;
	for (int i = 0; i < op->nreduce; i++)
		first = both(a, first, equal(a, op->reduce[i], 0));
	if (op->reducer == REDUCE_MAX)
		op->body = expr_binary(a, EXPR_MAX, op->body, expr_const(a, t, 0));
	else
		op->body = only_at(a, first,
				   expr_binary(a, EXPR_ADD, op->body, expr_const(a, t, 1)),
				   op->body);
	return true;
}

/* --- what is read */

struct shift {
	struct arena *arena;
	int load, dim;		/* the LOAD-th load, index DIM counted over its dims of extent > 1 */
	int seen;
	bool done;
};

/* One further along a dimension of the tensor; the last element reads the one before. */
static const struct expr *shift_load(struct arena *a, const struct expr *e, void *user)
{
	struct shift *s = user;
	const struct expr *index[TENSOR_MAX_DIMS];
	int wide[TENSOR_MAX_DIMS], n = 0;

	if (e->kind != EXPR_LOAD || s->seen++ != s->load)
		return NULL;
	for (int d = 0; d < e->tensor->ndim; d++) {
		index[d] = e->index[d];
		if (e->tensor->shape[d] > 1)
			wide[n++] = d;
	}
	if (n == 0)
		return NULL;
	int d = wide[s->dim % n];
	const struct expr *last = expr_int(a, e->tensor->shape[d] - 1);

	index[d] = expr_select(a, expr_binary(a, EXPR_LT, index[d], last),
			       expr_add(a, index[d], expr_int(a, 1)),
			       expr_add(a, index[d], expr_int(a, -1)));
	s->done = true;
	return expr_load(a, e->tensor, index);
}

static const struct expr *shifted(struct arena *a, struct rng *r, const struct expr *body)
{
	struct shift s = { a, (int)rng_below(r, 2), (int)rng_below(r, 4), 0, false };
	const struct expr *e = expr_rewrite(a, body, shift_load, &s);

	return s.done ? e : NULL;
}

bool fault_neighbour_read(struct arena *a, struct rng *r, struct op *op)
{
	const struct expr *e = shifted(a, r, op->body);

	if (e)
		op->body = only_at(a, at_element(a, r, op), e, op->body);
	return e != NULL;
}

bool fault_shifted_read(struct arena *a, struct rng *r, struct op *op)
{
	const struct expr *e = shifted(a, r, op->body);

	if (e)
		op->body = e;
	return e != NULL;
}

/* --- how it is computed */

bool fault_outer_call_missing(struct arena *a, struct rng *r, struct op *op)
{
	const struct expr *e = op->body;

	(void)a;
	(void)r;
	if (expr_kind_arity(e->kind) < 1 || e->kind == EXPR_SELECT || e->kind == EXPR_CAST ||
	    e->arg[0]->dtype != e->dtype)
		return false;
	op->body = e->arg[0];
	return true;
}

/* The first node that FIND takes is replaced. */
struct change {
	const struct expr *(*change)(struct arena *a, const struct expr *e);
	bool done;
};

static const struct expr *change_first(struct arena *a, const struct expr *e, void *user)
{
	struct change *c = user;
	/* indices stay: a fault is not to read out of bounds */
	const struct expr *to = c->done || e->kind == EXPR_LOAD ? e : c->change(a, e);

	c->done |= to && to != e;
	return to;
}

static bool change(struct arena *a, struct op *op,
		   const struct expr *(*how)(struct arena *a, const struct expr *e))
{
	struct change c = { how, false };

	op->body = expr_rewrite(a, op->body, change_first, &c);
	return c.done;
}

static const struct expr *other_constant(struct arena *a, const struct expr *e)
{
	if (e->kind == EXPR_FLOAT && isfinite(e->f))
		return expr_const(a, e->dtype, e->f * 1.25 + 0.25);
	return NULL;
}

bool fault_constant_off(struct arena *a, struct rng *r, struct op *op)
{
	(void)r;
	return change(a, op, other_constant);
}

static const struct expr *swap_operands(struct arena *a, const struct expr *e)
{
	bool ordered = e->kind == EXPR_SUB || e->kind == EXPR_DIV;

	return ordered && dtype_is_float(e->dtype) ? expr_binary(a, e->kind, e->arg[1], e->arg[0])
						   : NULL;
}

bool fault_operands_swapped(struct arena *a, struct rng *r, struct op *op)
{
	(void)r;
	return change(a, op, swap_operands);
}

static bool is_constant(const struct expr *e)
{
	return e->kind == EXPR_FLOAT || e->kind == EXPR_INT;
}

/* The first comparison of an index with a constant holds for one index less. */
static const struct expr *tighten(struct arena *a, const struct expr *e)
{
	if ((e->kind != EXPR_LT && e->kind != EXPR_LE) || e->loads)
		return NULL;
	if (e->arg[1]->kind == EXPR_INT)
		return expr_binary(a, e->kind, e->arg[0], expr_int(a, e->arg[1]->i - 1));
	if (e->arg[0]->kind == EXPR_INT)
		return expr_binary(a, e->kind, expr_int(a, e->arg[0]->i + 1), e->arg[1]);
	return NULL;
}

static const struct expr *widen_border(struct arena *a, const struct expr *e)
{
	struct change c = { tighten, false };

	if (e->kind != EXPR_SELECT)
		return NULL;
	const struct expr *cond = expr_rewrite(a, e->arg[0], change_first, &c);

	return c.done ? expr_select(a, cond, e->arg[1], e->arg[2]) : NULL;
}

bool fault_border_too_wide(struct arena *a, struct rng *r, struct op *op)
{
	(void)r;
	return change(a, op, widen_border);
}

static const struct expr *swap_extremes(struct arena *a, const struct expr *e)
{
	if (e->kind == EXPR_MIN)
		return expr_binary(a, EXPR_MAX, e->arg[0], e->arg[1]);
	if (e->kind == EXPR_MAX)
		return expr_binary(a, EXPR_MIN, e->arg[0], e->arg[1]);
	return NULL;
}

bool fault_extremes_swapped(struct arena *a, struct rng *r, struct op *op)
{
	(void)r;
	return change(a, op, swap_extremes);
}

static const struct expr *leave_clamp(struct arena *a, const struct expr *e)
{
	(void)a;
	if ((e->kind != EXPR_MIN && e->kind != EXPR_MAX) ||
	    is_constant(e->arg[0]) == is_constant(e->arg[1]))
		return NULL;
	return e->arg[is_constant(e->arg[0])];
}

bool fault_clamp_missing(struct arena *a, struct rng *r, struct op *op)
{
	(void)r;
	return change(a, op, leave_clamp);
}

bool fault_sign_flipped(struct arena *a, struct rng *r, struct op *op)
{
	if (op->reducer != REDUCE_NONE)
		return false;
	op->body = only_at(a, at_element(a, r, op), expr_unary(a, EXPR_NEG, op->body), op->body);
	return true;
}

bool fault_coarse_result(struct arena *a, struct rng *r, struct op *op)
{
	enum dtype t = op->tensor.dtype;

	(void)r;
	if (op->reducer != REDUCE_NONE || (t != DTYPE_F32 && t != DTYPE_F64))
		return false;
	op->body = expr_cast(a, t,
			     expr_cast(a, t == DTYPE_F64 ? DTYPE_F32 : DTYPE_F16, op->body));
	return true;
}
