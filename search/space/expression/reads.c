/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/reads.c - searches of a reduction's indices. */
#include "search/space/expression/reads.h"

#include "base/integer.h"
#include "te/index/index.h"

/* A longer period, in two dimensions, is more than the registers hold. An axis of two is a vector of two places (te/dims/widen.h). */
enum { MAX_PERIOD = 4, MIN_PERIODS = 3 };

struct period_search {
	const struct axis *axis;
	int64_t remainder, quotient;	/* the axis is divided by it; 1: it is not */
};

static bool find_period(const struct expr *e, void *user)
{
	struct period_search *p = user;
	int64_t n;

	if ((e->kind != EXPR_MOD && e->kind != EXPR_DIV) || !expr_is_int(e->arg[1], &n) || n <= 1 || n > MAX_PERIOD ||
	    p->axis->hi < MIN_PERIODS * n || !expr_uses_axis(e->arg[0], p->axis))
		return true;
	if (e->kind == EXPR_MOD)
		p->remainder = n;
	else
		p->quotient = n;
	return true;
}

int64_t reads_period(const struct op *op, int d)
{
	struct period_search p = { .axis = op->space[d], .remainder = 1, .quotient = 1 };

	expr_visit(op->body, find_period, &p);
	return p.remainder == p.quotient ? p.remainder : 1;
}

struct lane_search {
	const struct dag *dag;
	const struct axis *axis;
	bool constant, other;	/* loads that the axis moves */
};

struct lane_use {
	const struct axis *axis;
	bool found;
};

static bool find_move(const struct expr *e, void *user)
{
	struct lane_use *u = user;
	int64_t run;

	if (e->kind == EXPR_AXIS && e->axis == u->axis)
		u->found = true;
	bool whole_runs = e->kind == EXPR_DIV && e->arg[0]->kind == EXPR_AXIS &&
			  expr_is_int(e->arg[1], &run) && run % MIN_LANES == 0;

	return !u->found && !whole_runs;
}

/* Does AXIS move INDEX from lane to lane? Divided by the size of a group it does so only between
 * vectors. */
static bool moves(const struct expr *index, const struct axis *axis)
{
	struct lane_use u = { .axis = axis };

	expr_visit(index, find_move, &u);
	return u.found;
}

static bool find_constant(const struct expr *e, void *user)
{
	struct lane_search *l = user;

	if (e->kind != EXPR_LOAD)
		return true;
	for (int i = 0; i < e->tensor->ndim; i++) {
		if (!moves(e->index[i], l->axis))
			continue;
		bool constant = dag_op(l->dag, e->tensor) &&
				dag_op(l->dag, e->tensor)->kind == OP_CONST;

		*(constant ? &l->constant : &l->other) = true;
	}
	return true;
}

bool reads_suit_lanes(const struct dag *dag, const struct op *op, int d)
{
	struct lane_search l = { .dag = dag, .axis = op->space[d] };

	expr_visit(op->body, find_constant, &l);
	return l.constant && !l.other;
}

bool reads_constant_along(const struct dag *dag, const struct op *op, int d)
{
	struct lane_search l = { .dag = dag, .axis = d < 0 ? NULL : op->space[d] };

	if (d >= 0)
		expr_visit(op->body, find_constant, &l);
	return l.constant;
}

struct window_search {
	const struct op *op;
	const struct axis *axis;
	bool found;
};

/* An index that moves with the axis and with what is reduced. */
static bool find_window(const struct expr *e, void *user)
{
	struct window_search *w = user;

	for (int d = 0; e->kind == EXPR_LOAD && d < e->tensor->ndim; d++)
		for (int r = 0; r < w->op->nreduce; r++)
			w->found |= expr_uses_axis(e->index[d], w->axis) &&
				    expr_uses_axis(e->index[d], w->op->reduce[r]);
	return !w->found;
}

bool reads_window_along(const struct op *op, int d)
{
	struct window_search w = { op, d < 0 ? NULL : op->space[d], false };

	if (d >= 0)
		expr_visit(op->body, find_window, &w);
	return w.found;
}

/* Below this a tensor lies in the first-level cache as it is. */
enum { MIN_BYTES = 8192 };

struct read_check {
	const struct tensor *tensor;
	bool plain, reduced;
};

static bool find_reduced(const struct expr *e, void *user)
{
	*(bool *)user |= e->kind == EXPR_AXIS && e->axis->reduce;
	return true;
}

static bool check_load(const struct expr *e, void *user)
{
	struct read_check *c = user;
	bool reduced = false;

	if (e->kind == EXPR_SELECT)
		expr_visit(e->arg[0], find_reduced, &reduced);
	c->plain &= !reduced;
	if (e->kind != EXPR_LOAD || e->tensor != c->tensor)
		return c->plain;
	for (int i = 0; i < e->tensor->ndim; i++) {
		c->plain &= e->index[i]->kind == EXPR_AXIS;
		c->reduced |= e->index[i]->kind == EXPR_AXIS && e->index[i]->axis->reduce;
	}
	return c->plain;
}

/* A window has a padded copy of its own to keep, or none to gain from, nor has what is read in some turns of the reduction
 * alone; what does not move along the reduction stays in registers. */
static bool reads_along(const struct op *reader, const struct tensor *t)
{
	struct read_check c = { t, true, false };

	expr_visit(reader->body, check_load, &c);
	return c.plain && c.reduced;
}

bool reads_suit_panels(const struct op *reader, const struct tensor *t)
{
	return t->ndim >= 2 && tensor_bytes(t) >= MIN_BYTES && op_has_reuse(reader) && reads_along(reader, t);
}

struct order_search {
	const struct op *op;
	const struct tensor *tensor;
	bool found;
};

/* The dim of the lanes: the first where all have one place. */
static int innermost(const struct tensor *t)
{
	return (int)most(tensor_innermost(t), 0);
}

static bool find_across(const struct expr *e, void *user)
{
	struct order_search *c = user;

	if (e->kind != EXPR_LOAD || (c->tensor && e->tensor != c->tensor) || e->tensor->ndim == 0)
		return true;
	const struct axis *lanes = c->op->space[innermost(&c->op->tensor)];

	for (int d = 0; d < innermost(e->tensor); d++)
		c->found |= expr_uses_axis(e->index[d], lanes);
	return !c->found;
}

bool reads_across(const struct op *op, const struct tensor *t)
{
	struct order_search c = { op, t, false };

	if (op->tensor.ndim > 0)
		expr_visit(op->body, find_across, &c);
	return c.found;
}

struct stride_search {
	struct arena *arena;
	const struct axis *lanes;
	bool found;
};

static bool find_stride(const struct expr *e, void *user)
{
	struct stride_search *s = user;
	struct linear l;

	if (e->kind == EXPR_LOAD && tensor_innermost(e->tensor) >= 0 &&
	    linear_from(s->arena, e->index[tensor_innermost(e->tensor)], &l))
		s->found |= linear_coef(&l, s->lanes) > 1;
	return !s->found;
}

bool reads_at_stride(const struct op *op)
{
	struct stride_search s = { arena_new(), NULL, false };

	if (op->tensor.ndim > 0) {
		s.lanes = op->space[innermost(&op->tensor)];
		expr_visit(op->body, find_stride, &s);
	}
	arena_free(s.arena);
	return s.found;
}

/* Fewer reduced elements than this do not pay for the last step over the lanes; a shorter last axis leaves most of
 * a vector unused. */
enum { MIN_REDUCED = 32, MIN_LAST = 5 };

struct contiguity {
	const struct axis *axis;
	bool contiguous, strided;
};

/* Does the last index of a load run with the axis, does another one? */
static bool check_contiguity(const struct expr *e, void *user)
{
	struct contiguity *c = user;

	if (e->kind != EXPR_LOAD)
		return true;
	for (int i = 0; i < e->tensor->ndim; i++) {
		bool uses = expr_uses_axis(e->index[i], c->axis);
		bool last = i == e->tensor->ndim - 1;

		c->contiguous |= uses && last && e->index[i]->kind == EXPR_AXIS;
		c->strided |= uses && !last;
	}
	return true;
}

bool reads_rows(const struct op *op)
{
	const struct axis *last = op->reduce[op->nreduce - 1];
	struct contiguity c = { .axis = last };
	int64_t reduced = 1;

	for (int i = 0; i < op->nreduce; i++)
		reduced *= op->reduce[i]->hi;
	expr_visit(op->body, check_contiguity, &c);
	return reduced >= MIN_REDUCED && last->hi >= MIN_LAST && c.contiguous && !c.strided;
}

struct constant_search {
	const struct dag *dag;
	bool found;
};

static bool find_any_constant(const struct expr *e, void *user)
{
	struct constant_search *c = user;

	if (e->kind == EXPR_LOAD) {
		const struct op *op = dag_op(c->dag, e->tensor);

		c->found |= op && op->kind == OP_CONST;
	}
	return !c->found;
}

bool reads_rows_once(const struct dag *dag, const struct op *op)
{
	struct constant_search c = { .dag = dag };

	expr_visit(op->body, find_any_constant, &c);
	return dtype_is_float(op->tensor.dtype) && !c.found && !op_has_reuse(op) && reads_rows(op);
}
