/* SPDX-License-Identifier: Apache-2.0 */
/* te/analysis.c - what can be said of an op from its expression alone. */
#include <assert.h>
#include <math.h>

#include "te/dag.h"
#include "te/index/index.h"

/* Above this many operations an op that is read more than once is not computed anew at each use:
 * a clip or a scale and shift pass, a transcendental function (several of them) does not. */
enum { INLINE_MAX_FLOP = 4 };

int64_t tensor_count(const struct tensor *t)
{
	int64_t n = 1;

	for (int i = 0; i < t->ndim; i++)
		n *= t->shape[i];
	return n;
}

int tensor_innermost(const struct tensor *t)
{
	int d = t->ndim - 1;

	while (d >= 0 && t->shape[d] == 1)
		d--;
	return d;
}

size_t tensor_bytes(const struct tensor *t)
{
	return (size_t)tensor_count(t) * dtype_bytes(t->dtype);
}

static const struct {
	const char *name;
	enum expr_kind combine;
} reducers[] = {
	[REDUCE_NONE] = { "none", EXPR_ADD },
	[REDUCE_SUM] = { "sum", EXPR_ADD },
	[REDUCE_MAX] = { "max", EXPR_MAX },
	[REDUCE_MIN] = { "min", EXPR_MIN },
	[REDUCE_PROD] = { "prod", EXPR_MUL },
};

const char *reducer_name(enum reducer r)
{
	return reducers[r].name;
}

enum expr_kind reducer_combine(enum reducer r)
{
	return reducers[r].combine;
}

static double greatest(enum dtype t)
{
	switch (t) {
	case DTYPE_I8:
		return INT8_MAX;
	case DTYPE_U8:
		return UINT8_MAX;
	case DTYPE_I32:
		return INT32_MAX;
	case DTYPE_I64:
		return (double)INT64_MAX;
	case DTYPE_BOOL:
		return 1;
	default:
		return INFINITY;
	}
}

static double smallest(enum dtype t)
{
	if (t == DTYPE_U8 || t == DTYPE_BOOL)
		return 0;
	return dtype_is_float(t) ? -INFINITY : -greatest(t) - 1;
}

double reducer_identity(enum reducer r, enum dtype t)
{
	switch (r) {
	case REDUCE_NONE:
	case REDUCE_SUM:
		return 0;
	case REDUCE_MAX:
		return smallest(t);
	case REDUCE_MIN:
		return greatest(t);
	case REDUCE_PROD:
		return 1;
	}
	return 0;
}

static bool count_flop(const struct expr *e, void *user)
{
	if (e->kind == EXPR_LOAD)
		return false;
	if (e->kind == EXPR_SELECT) {	/* its condition is control, not arithmetic */
		expr_visit(e->arg[1], count_flop, user);
		expr_visit(e->arg[2], count_flop, user);
		return false;
	}
	if (expr_kind_arity(e->kind) > 0 && e->kind != EXPR_CAST && e->dtype != DTYPE_BOOL)
		*(double *)user += 1;
	return true;
}

/* Operations of one evaluation of E, index arithmetic apart. */
static double expr_flop(const struct expr *e)
{
	double flop = 0;

	expr_visit(e, count_flop, &flop);
	return flop;
}

double op_flop(const struct op *op)
{
	return expr_flop(op->body) + (op->nreduce > 0);
}

double dag_flop(const struct dag *d)
{
	double sum = 0;

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE)
			continue;
		double points = (double)tensor_count(&op->tensor);

		for (int j = 0; j < op->nreduce; j++)
			points *= (double)op->reduce[j]->hi;
		sum += points * op_flop(op);
	}
	return sum;
}

double dag_bytes(const struct dag *d)
{
	double sum = 0;

	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind != OP_COMPUTE || d->ops.at[i]->output)
			sum += (double)tensor_bytes(&d->ops.at[i]->tensor);
	return sum;
}

double dag_constant_bytes(const struct dag *d)
{
	double sum = 0;

	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind == OP_CONST)
			sum += (double)tensor_bytes(&d->ops.at[i]->tensor);
	return sum;
}

int dag_consumers(const struct dag *d, const struct tensor *t)
{
	int n = 0;

	for (int i = 0; i < d->ops.n; i++)
		n += d->ops.at[i]->kind == OP_COMPUTE && expr_loads(d->ops.at[i]->body, t) > 0;
	return n;
}

bool op_is_reduction(const struct op *op)
{
	return op->reducer != REDUCE_NONE;
}

bool op_is_cheap(const struct op *op)
{
	return op->kind == OP_COMPUTE && !op_is_reduction(op) && !op->output &&
	       expr_flop(op->body) <= INLINE_MAX_FLOP;
}

struct load_check {
	const struct op *op;
	bool holds;
};

/* A load that uses all space axes of more than one element is read once for each output. */
static bool check_reuse(const struct expr *e, void *user)
{
	struct load_check *c = user;

	if (e->kind != EXPR_LOAD)
		return c->holds;
	bool leaves_out = false;

	for (int i = 0; i < c->op->tensor.ndim; i++)
		if (c->op->space[i]->hi > 1 && !expr_uses_axis(e, c->op->space[i]))
			leaves_out = true;
	c->holds &= leaves_out;
	return c->holds;
}

bool op_has_reuse(const struct op *op)
{
	struct load_check c = { op, op->kind == OP_COMPUTE && op_is_reduction(op) };

	if (c.holds)
		expr_visit(op->body, check_reuse, &c);
	return c.holds;
}
