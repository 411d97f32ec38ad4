/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/frequency.c - what compilers move out of loops, and which turns a condition leaves. */
#include "costmodel/features/frequency.h"

#include "te/index/index.h"

/* The share of the values LO..HI that are at least LEAST, all equally likely. */
static double share_at_least(int64_t lo, int64_t hi, int64_t bound)
{
	if (bound <= lo)
		return 1;
	return bound > hi ? 0 : (double)(hi - bound + 1) / (double)(hi - lo + 1);
}

double share_of(const struct expr *e)
{
	if (e->kind == EXPR_NOT)
		return 1 - share_of(e->arg[0]);
	if (e->kind == EXPR_AND)
		return share_of(e->arg[0]) * share_of(e->arg[1]);
	if (e->kind == EXPR_OR)
		return 1 - (1 - share_of(e->arg[0])) * (1 - share_of(e->arg[1]));
	if (e->kind < EXPR_LT || e->kind > EXPR_NE || e->arg[0]->dtype != DTYPE_I64)
		return 1;
	struct range x = expr_range(e->arg[0]);
	struct range y = expr_range(e->arg[1]);
	double one = share_at_least(y.lo - x.hi, y.hi - x.lo, 0) -
		     share_at_least(y.lo - x.hi, y.hi - x.lo, 1);

	switch (e->kind) {
	case EXPR_LT:
		return share_at_least(y.lo - x.hi, y.hi - x.lo, 1);
	case EXPR_LE:
		return share_at_least(y.lo - x.hi, y.hi - x.lo, 0);
	default:
		return e->kind == EXPR_EQ ? one : 1 - one;
	}
}

double executions(const struct loops *around, const struct expr *e)
{
	bool moved[SITE_MAX_LOOPS] = { false }, in_body = false;
	double share = 1;
	struct motion m;
	int i;

	if (e->loads)
		return 1;
	motion_clear(&m);
	motion_add(&around->variables, &m, e, 1);
	for (i = 0; i < m.n; i++)
		moved[m.at[i].loop] = true;
	for (i = around->n - 1; i >= 0 && loop_is_written_out(&around->at[i]); i--) {
		in_body |= moved[i] && around->at[i].annotation == ANNOTATION_VECTOR;
		share /= moved[i] || around->at[i].annotation == ANNOTATION_VECTOR ? 1 : around->at[i].extent;
	}
	return in_body || (i >= 0 && moved[i]) ? share : 0;
}

bool is_asked(const struct loops *around, const struct expr *condition)
{
	struct motion m;

	motion_clear(&m);
	motion_add(&around->variables, &m, condition, 1);
	for (int i = 0; i < m.n; i++)
		if (!loop_is_written_out(&around->at[m.at[i].loop]))
			return true;
	return condition->loads;
}
