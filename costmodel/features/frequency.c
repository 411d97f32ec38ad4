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

const struct lifetime *lifetime_of(const struct loops *around, const struct buffer *b)
{
	for (int i = around->lifetimes.n - 1; i >= 0; i--)
		if (around->lifetimes.at[i].buffer == b)
			return &around->lifetimes.at[i];
	return NULL;
}

/* Marks the loops that move AXIS. */
static void mark_loops(const struct loops *around, const struct axis *axis, bool *moved)
{
	const struct variable *v = variable_of(&around->variables, axis);

	if (v && v->loop >= 0)
		moved[v->loop] = true;
	for (int i = 0; v && v->let && i < v->let->n; i++)
		moved[v->let->at[i].loop] = true;
}

/* What is in registers is the same from where it was computed on: as often as it is allocated it is another. False where it
 * is not known to stay: in memory that kernels store to. */
static bool mark_contents(const struct loops *around, const struct buffer *b, bool *moved)
{
	const struct lifetime *l = b->registers ? lifetime_of(around, b) : NULL;

	for (int i = 0; l && i < l->loops; i++)
		moved[i] = true;
	return l || b->kind == BUFFER_INPUT;
}

/* Marks the loops that move E, of a load those that move its indices, too; a quotient may change with each of its axes.
 * False where a compiler has to compute it in each turn, whatever moves it. */
static bool mark_moving(const struct loops *around, const struct expr *e, bool *moved)
{
	bool load = e->kind == EXPR_LOAD, stays = true;

	if (e->kind == EXPR_AXIS)
		mark_loops(around, e->axis, moved);
	if (load)
		stays = mark_contents(around, buffer_of(e->tensor), moved);
	for (int i = 0; i < (load ? e->tensor->ndim : expr_kind_arity(e->kind)) && stays; i++)
		stays = mark_moving(around, load ? e->index[i] : e->arg[i], moved);
	return stays;
}

double executions(const struct loops *around, const struct expr *e)
{
	bool moved[SITE_MAX_LOOPS] = { false }, in_body = false;
	double share = 1;
	int i;

	if (!mark_moving(around, e, moved))
		return 1;
	for (i = around->n - 1; i >= 0 && loop_is_written_out(&around->at[i]); i--) {
		in_body |= moved[i] && around->at[i].annotation == ANNOTATION_VECTOR;
		share /= moved[i] || around->at[i].annotation == ANNOTATION_VECTOR ? 1 : around->at[i].extent;
	}
	return in_body || (i >= 0 ? moved[i] : e->loads) ? share : 0;
}

/* The share of the written-out turns, of which terms FROM and on are left, in which the others take AT, LOW below it
 * and HIGH above, to both sides of 0. */
static double share_open(const struct loops *around, const struct motion *m, int from, int64_t at, int64_t low, int64_t high)
{
	while (from < m->n && !loop_is_written_out(&around->at[m->at[from].loop]))
		from++;
	if (from == m->n)
		return at - low < 0 && at + high >= 0;
	double sum = 0;

	for (int64_t i = 0; i < m->at[from].count; i++)
		sum += share_open(around, m, from + 1, at + i * m->at[from].step, low, high);
	return sum / (double)m->at[from].count;
}

double share_asked(const struct loops *around, const struct expr *condition)
{
	int64_t low = 0, high = 0;
	struct motion m;

	if (condition->kind == EXPR_AND || condition->kind == EXPR_OR)
		return 1 - (1 - share_asked(around, condition->arg[0])) * (1 - share_asked(around, condition->arg[1]));
	motion_clear(&m);
	if (condition->kind == EXPR_LE || condition->kind == EXPR_LT) {
		motion_add(&around->variables, &m, condition->arg[1], 1);
		motion_add(&around->variables, &m, condition->arg[0], -1);
	} else {
		motion_add(&around->variables, &m, condition, 1);
	}
	bool fixed = !condition->loads;

	for (int i = 0; i < m.n; i++) {
		int64_t reach = m.at[i].step * (m.at[i].count - 1);

		if (loop_is_written_out(&around->at[m.at[i].loop]))
			continue;
		fixed = false;
		low -= reach < 0 ? reach : 0;
		high += reach > 0 ? reach : 0;
	}
	if (fixed)
		return 0;
	if (condition->loads || (condition->kind != EXPR_LE && condition->kind != EXPR_LT))
		return 1;
	return share_open(around, &m, 0, m.constant - (condition->kind == EXPR_LT), low, high);
}
