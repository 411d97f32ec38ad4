/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/group.c - products whose sum is an intrinsic's. */
#include "search/space/group.h"

#include "te/index/index.h"

/* What E is a load of, as it is or widened; NULL: of nothing. */
static const struct expr *load_of(const struct expr *e)
{
	if (e->kind == EXPR_CAST)
		e = e->arg[0];
	return e->kind == EXPR_LOAD ? e : NULL;
}

/* What E is multiplied as: narrow floats are widened when they are lowered (schedule/narrow.h). */
static enum dtype multiplied_as(const struct expr *e)
{
	return dtype_arithmetic(e->dtype);
}

static bool moves(const struct expr *load, const struct axis *axis)
{
	for (int d = 0; d < load->tensor->ndim; d++)
		if (expr_uses_axis(load->index[d], axis))
			return true;
	return false;
}

/* Are the elements of LOAD that turns of AXIS read side by side? */
static bool runs_along(struct arena *a, const struct expr *load, const struct axis *axis)
{
	struct linear at = { 0 };
	int64_t row = 1;

	for (int d = load->tensor->ndim - 1; d >= 0; d--) {
		if (!linear_add_expr(a, &at, load->index[d], row))
			return false;
		row *= load->tensor->shape[d];
	}
	for (int i = 0; i < at.n; i++)
		if (at.term[i].atom->kind != EXPR_AXIS && expr_uses_axis(at.term[i].atom, axis))
			return false;
	return linear_coef(&at, axis) == 1;
}

/* Is T a constant, or made of one, that STAGE alone reads? */
static bool is_packable(const struct state *s, const struct tensor *t)
{
	const struct stage *g = s->stages.at[state_stage_of(s, t)];

	return (g->op.kind == OP_CONST || g->place == PLACE_OFFLINE) &&
	       state_consumers(s, state_stage_of(s, t), NULL, 0) == 1;
}

/* The reduced axis of OP along which X can multiply A, the same for all lanes, by B; -1: none. */
static int reduced_by(const struct state *s, const struct op *op, int dim, const struct intrinsic *x,
		      const struct expr *a, const struct expr *b)
{
	if (!a || !b || a->dtype != x->a || b->dtype != x->b || moves(a, op->space[dim]) ||
	    !moves(b, op->space[dim]) || !is_packable(s, b->tensor))
		return -1;
	for (int r = op->nreduce - 1; r >= 0; r--)
		if (op->reduce[r]->hi % x->group == 0 && moves(b, op->reduce[r]) &&
		    runs_along(s->arena, a, op->reduce[r]))
			return r;
	return -1;
}

struct group_use group_of(const struct state *s, int stage, int dim, const struct target *target)
{
	const struct op *op = &s->stages.at[stage]->op;
	const struct expr *e = op->body;

	if (op->reducer != REDUCE_SUM || e->kind != EXPR_MUL)
		return (struct group_use){ NULL, -1 };
	const struct expr *u = load_of(e->arg[0]), *v = load_of(e->arg[1]);

	for (int i = 0; i < INTRINSIC_COUNT; i++) {
		const struct intrinsic *x = intrinsic_at(i);

		if (!intrinsic_is_there(x, target) || multiplied_as(e) != x->sum ||
		    op->tensor.shape[dim] < x->lanes)
			continue;
		int first = reduced_by(s, op, dim, x, u, v);
		int r = first >= 0 ? first : reduced_by(s, op, dim, x, v, u);

		if (r >= 0)
			return (struct group_use){ x, r };
	}
	return (struct group_use){ NULL, -1 };
}

const struct iter *group_loop(const struct stage *g)
{
	for (int i = 0; i < g->iters.n; i++)
		if (g->iters.at[i].intrinsic)
			return &g->iters.at[i];
	return NULL;
}
