/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/ops.c - which operation an expression is, and what operations take. */
#include "costmodel/features/site.h"

/* The feature that counts a kind of expression on floats, on integers, in indices; -1: none. A
 * leaf is no operation, and index sums are folded into addresses. */
static const struct {
	int on_float, on_int, in_index;
} counted_by[EXPR_KIND_COUNT] = {
	[EXPR_INT] = { -1, -1, -1 },
	[EXPR_FLOAT] = { -1, -1, -1 },
	[EXPR_AXIS] = { -1, -1, -1 },
	[EXPR_LOAD] = { -1, -1, -1 },
	[EXPR_ADD] = { FEATURE_F_ADD, FEATURE_I_ADD, -1 },
	[EXPR_SUB] = { FEATURE_F_ADD, FEATURE_I_ADD, -1 },
	[EXPR_MUL] = { FEATURE_F_MUL, FEATURE_I_MUL, -1 },
	[EXPR_DIV] = { FEATURE_F_DIV, FEATURE_I_DIVMOD, FEATURE_X_DIVMOD },
	[EXPR_MOD] = { FEATURE_F_DIV, FEATURE_I_DIVMOD, FEATURE_X_DIVMOD },
	[EXPR_LT] = { FEATURE_F_COMPARE, FEATURE_I_SIMPLE, -1 },
	[EXPR_LE] = { FEATURE_F_COMPARE, FEATURE_I_SIMPLE, -1 },
	[EXPR_EQ] = { FEATURE_F_COMPARE, FEATURE_I_SIMPLE, -1 },
	[EXPR_NE] = { FEATURE_F_COMPARE, FEATURE_I_SIMPLE, -1 },
	[EXPR_AND] = { FEATURE_LOGIC, FEATURE_LOGIC, -1 },
	[EXPR_OR] = { FEATURE_LOGIC, FEATURE_LOGIC, -1 },
	[EXPR_NOT] = { FEATURE_LOGIC, FEATURE_LOGIC, -1 },
	[EXPR_NEG] = { FEATURE_F_SIMPLE, FEATURE_I_ADD, -1 },
	[EXPR_MIN] = { FEATURE_F_MINMAX, FEATURE_I_SIMPLE, FEATURE_X_CHOICE },
	[EXPR_MAX] = { FEATURE_F_MINMAX, FEATURE_I_SIMPLE, FEATURE_X_CHOICE },
	[EXPR_POW] = { FEATURE_F_POW, -1, -1 },
	[EXPR_ABS] = { FEATURE_F_SIMPLE, FEATURE_I_SIMPLE, -1 },
	[EXPR_EXP] = { FEATURE_F_EXPLOG, -1, -1 },
	[EXPR_LOG] = { FEATURE_F_EXPLOG, -1, -1 },
	[EXPR_SIN] = { FEATURE_F_EXPLOG, -1, -1 },
	[EXPR_COS] = { FEATURE_F_EXPLOG, -1, -1 },
	[EXPR_SQRT] = { FEATURE_F_SQRT, -1, -1 },
	[EXPR_TANH] = { FEATURE_F_TANH, -1, -1 },
	[EXPR_ERF] = { FEATURE_F_ERF, -1, -1 },
	[EXPR_FLOOR] = { FEATURE_F_SIMPLE, -1, -1 },
	[EXPR_CEIL] = { FEATURE_F_SIMPLE, -1, -1 },
	[EXPR_ROUND] = { FEATURE_F_SIMPLE, -1, -1 },
	[EXPR_SELECT] = { FEATURE_SELECT, FEATURE_SELECT, FEATURE_X_CHOICE },
	[EXPR_CAST] = { FEATURE_CAST, FEATURE_CAST, -1 },
};

/* What an operation counts as in flop, and the vector instructions it takes: divisions and roots by
 * the throughput of current x86 cores against one FMA, functions by the length of the polynomial
 * that vector libraries evaluate. Ratios matter here, not cycles. */
static const struct {
	double flop, instructions;
} weight[OP_FEATURES] = {
	[FEATURE_F_FMA] = { 2, 1 },
	[FEATURE_F_ADD] = { 1, 1 },
	[FEATURE_F_MUL] = { 1, 1 },
	[FEATURE_F_DIV] = { 1, 10 },
	[FEATURE_F_MINMAX] = { 1, 1 },
	[FEATURE_F_COMPARE] = { 1, 1 },
	[FEATURE_F_SIMPLE] = { 1, 1 },
	[FEATURE_F_SQRT] = { 1, 12 },
	[FEATURE_F_EXPLOG] = { 1, 20 },
	[FEATURE_F_TANH] = { 1, 30 },
	[FEATURE_F_ERF] = { 1, 30 },
	[FEATURE_F_POW] = { 1, 50 },
	[FEATURE_I_ADD] = { 0, 1 },
	[FEATURE_I_MUL] = { 0, 2 },
	[FEATURE_I_DIVMOD] = { 0, 20 },
	[FEATURE_I_SIMPLE] = { 0, 1 },
	[FEATURE_LOGIC] = { 0, 1 },
	[FEATURE_SELECT] = { 0, 1 },
	[FEATURE_CAST] = { 0, 1 },
	[FEATURE_X_DIVMOD] = { 0, 4 },
	[FEATURE_X_CHOICE] = { 0, 2 },
};

static void count(int feature, double times, double ops[OP_FEATURES])
{
	if (feature >= 0)
		ops[feature] += times;
}

void ops_count(const struct expr *e, double times, double ops[OP_FEATURES])
{
	/* comparisons give bool: their arguments say what they work on */
	bool compares = e->kind >= EXPR_LT && e->kind <= EXPR_NE;
	enum dtype t = compares ? e->arg[0]->dtype : e->dtype;

	count(dtype_is_float(t) ? counted_by[e->kind].on_float : counted_by[e->kind].on_int, times, ops);
}

bool ops_is_of_index(const struct expr *e)
{
	return counted_by[e->kind].in_index >= 0;
}

void ops_count_index(const struct expr *e, double times, double ops[OP_FEATURES])
{
	count(counted_by[e->kind].in_index, times, ops);
}

void ops_count_reducer(enum reducer r, enum dtype t, double ops[OP_FEATURES])
{
	enum expr_kind k = reducer_combine(r);

	count(dtype_is_float(t) ? counted_by[k].on_float : counted_by[k].on_int, 1, ops);
}

double ops_flop(const double ops[OP_FEATURES])
{
	double sum = 0;

	for (int i = 0; i < OP_FEATURES; i++)
		sum += ops[i] * weight[i].flop;
	return sum;
}

double ops_instructions(const double ops[OP_FEATURES])
{
	double sum = 0;

	for (int i = 0; i < OP_FEATURES; i++)
		sum += ops[i] * weight[i].instructions;
	return sum;
}

void features_ops(const struct site *s, float *row)
{
	for (int i = 0; i < OP_FEATURES; i++)
		row[i] = (float)(s->ops[i] * s->turns);
	row[FEATURE_FLOP] = (float)(s->flop * s->turns);
	row[FEATURE_COMBINES] = s->store->reducer != REDUCE_NONE;
}
