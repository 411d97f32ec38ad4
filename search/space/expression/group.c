/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/group.c - products whose sum is an intrinsic's. */
#include "search/space/expression/group.h"

#include "base/integer.h"
#include "search/space/expression/reads.h"
#include "te/derive/padded_sum.h"
#include "te/index/index.h"

/* What E is multiplied as: narrow floats are widened when they are lowered (schedule/narrow.h). */
static enum dtype multiplied_as(const struct expr *e)
{
	return dtype_arithmetic(e->dtype);
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

/* Can T be stored as READER wants it: a constant, or made of one, that it alone reads, or else in panels? */
static bool is_packable(const struct state *s, const struct op *reader, const struct tensor *t)
{
	int stage = state_stage_of(s, t);

	return stage_is_constant(s->stages.at[stage]) ? state_consumers(s, stage, NULL, 0) == 1 : reads_suit_panels(reader, t);
}

/* So many groups of X at a time are the fewest operations for TERMS of them. */
static int64_t even_depth(const struct intrinsic *x, int64_t terms)
{
	int64_t groups = ceil_div(terms, x->group);

	return ceil_div(groups, ceil_div(groups, x->depth));
}

/* What the number of turns of the reduced axis R of OP is to be a multiple of, for X. */
static int64_t wanted_multiple(const struct op *op, int r, const struct intrinsic *x)
{
	return x->group * even_depth(x, op->reduce[r]->hi);
}

/* Has the reduced axis R of OP whole groups of X, as it is or PADDED? */
static bool has_whole_groups(const struct op *op, int r, const struct intrinsic *x, bool padded)
{
	return padded ? padded_sum_axis(op, wanted_multiple(op, r, x)) == r : op->reduce[r]->hi % x->group == 0;
}

/* The reduced axis of OP along which X can multiply A, the same for all lanes, by B; -1: none. */
static int reduced_by(const struct state *s, const struct op *op, int dim, const struct intrinsic *x,
		      const struct expr *a, const struct expr *b, bool padded)
{
	if (!a || !b || a->dtype != x->a || b->dtype != x->b || expr_uses_axis(a, op->space[dim]) ||
	    !expr_uses_axis(b, op->space[dim]) || !is_packable(s, op, b->tensor))
		return -1;
	for (int r = op->nreduce - 1; r >= 0; r--)
		if (has_whole_groups(op, r, x, padded) && expr_uses_axis(b, op->reduce[r]) &&
		    runs_along(s->arena, a, op->reduce[r]))
			return r;
	return -1;
}

static struct group_use find(const struct state *s, int stage, int dim, const struct target *target, bool matrices, bool padded)
{
	const struct op *op = &s->stages.at[stage]->op;
	const struct expr *e = op->body;

	if (op->reducer != REDUCE_SUM || e->kind != EXPR_MUL)
		return (struct group_use){ NULL, -1 };
	const struct expr *u = expr_cast_load(e->arg[0]), *v = expr_cast_load(e->arg[1]);

	for (int i = 0; i < INTRINSIC_COUNT; i++) {
		const struct intrinsic *x = intrinsic_at(i);

		if (intrinsic_is_matrix(x) != matrices || !intrinsic_is_there(x, target) || multiplied_as(e) != x->sum ||
		    op->tensor.shape[dim] < x->lanes)
			continue;
		int first = reduced_by(s, op, dim, x, u, v, padded);
		int r = first >= 0 ? first : reduced_by(s, op, dim, x, v, u, padded);

		if (r >= 0)
			return (struct group_use){ x, r };
	}
	return (struct group_use){ NULL, -1 };
}

struct group_use group_of(const struct state *s, int stage, int dim, const struct target *target)
{
	return find(s, stage, dim, target, false, false);
}

struct group_use group_of_matrix(const struct state *s, int stage, int dim, const struct target *target)
{
	return find(s, stage, dim, target, true, false);
}

bool group_is_matrix(const struct stage *g)
{
	const struct iter *group = stage_group(g);

	return group && intrinsic_is_matrix(group->intrinsic);
}

/* Would half of the operations on matrices that are USE of OP do, were they whole? */
static bool is_sparse(const struct op *op, const struct group_use *use)
{
	int64_t groups = op->reduce[use->reduce]->hi / use->by->group;
	int64_t depth = divisor_up_to(groups, use->by->depth);

	return 2 * ceil_div(groups, use->by->depth) <= groups / depth;
}

int64_t group_padding(const struct state *s, int stage, const struct target *target, bool matrices)
{
	const struct op *op = &s->stages.at[stage]->op;
	int64_t multiple = 0;

	for (int d = 0; d < op->tensor.ndim; d++) {
		const struct group_use plain = find(s, stage, d, target, matrices, false);
		const struct group_use padded = find(s, stage, d, target, matrices, true);

		if (plain.by && !(matrices && is_sparse(op, &plain)))
			return 0;
		if (padded.by)
			multiple = wanted_multiple(op, padded.reduce, padded.by);
	}
	return multiple;
}

/* What is looked for: a choice by a condition on AXIS, or by any. */
struct choice_search {
	const struct axis *axis;
	bool any;
	bool found;
};

static bool find_choice(const struct expr *e, void *user)
{
	struct choice_search *c = user;

	c->found |= e->kind == EXPR_SELECT && (c->any || expr_uses_axis(e->arg[0], c->axis));
	return !c->found;
}

/* The axis of stage G that group LOOP of READER runs along; NULL: none. */
static const struct axis *axis_along(const struct stage *g, const struct stage *reader, const struct iter *loop)
{
	const struct op *op = &reader->op;
	const struct axis *group =
		op->reduce[stage_root_of(reader, (int)(loop - reader->iters.at)) - op->tensor.ndim];

	for (int i = 0; i < 2; i++) {
		const struct expr *load = expr_cast_load(op->body->arg[i]);

		for (int d = 0; load && load->tensor == g->tensor && d < load->tensor->ndim; d++)
			if (expr_uses_axis(load->index[d], group))
				return g->op.space[d];
	}
	return NULL;
}

bool group_is_cut(const struct state *s, int stage)
{
	const struct stage *g = s->stages.at[stage];
	struct choice_search c = { .axis = NULL };
	int reader;

	if (state_consumers(s, stage, &reader, 1) != 1 || !stage_group(s->stages.at[reader]))
		return false;
	c.axis = axis_along(g, s->stages.at[reader], stage_group(s->stages.at[reader]));
	c.any = group_is_matrix(s->stages.at[reader]);	/* whose rows are read at once, too */
	if (c.axis || c.any)
		expr_visit(g->op.body, find_choice, &c);
	return c.found;
}

/* The dim along which the lanes of reduction G run; -1: none. */
static int lanes_of(const struct stage *g)
{
	for (int i = 0; i < g->iters.n; i++)
		if (g->iters.at[i].annotation == ANNOTATION_VECTOR)
			return stage_root_of(g, i);
	return -1;
}

static bool reads_in_lanes(const struct stage *reader, const struct tensor *t)
{
	int dim = lanes_of(reader);

	for (int i = 0; i < 2 && dim >= 0; i++) {
		const struct expr *load = expr_cast_load(reader->op.body->arg[i]);

		if (load && load->tensor == t && expr_uses_axis(load, reader->op.space[dim]))
			return true;
	}
	return false;
}

bool group_has_as_rows(const struct stage *reader, const struct tensor *t)
{
	return group_is_matrix(reader) && !reads_in_lanes(reader, t);
}

bool group_wants_panels(const struct state *s, int stage)
{
	enum { MAX_READERS = 16 };
	const struct stage *g = s->stages.at[stage];
	int readers[MAX_READERS];
	int n = state_consumers(s, stage, readers, MAX_READERS);

	for (int i = 0; i < n && i < MAX_READERS; i++)
		if (stage_group(s->stages.at[readers[i]]) && g->stored.n == 0 && !stage_is_constant(g) &&
		    reads_in_lanes(s->stages.at[readers[i]], g->tensor))
			return true;
	return false;
}

struct stored_dim group_stored(const struct stage *g)
{
	const struct stored_dim none = { -1, 1 }, last = g->stored.n > 0 ? g->stored.at[g->stored.n - 1] : none;
	int64_t bytes = last.block * (int64_t)dtype_bytes(g->op.tensor.dtype);
	bool beside = last.block > 1 && last.dim < tensor_innermost(&g->op.tensor);

	return beside && bytes == (int64_t)dtype_bytes(DTYPE_I32) ? last : none;
}

enum memory_scope group_operand_scope(const struct state *s, int stage, const struct target *target)
{
	int reader;

	if (state_consumers(s, stage, &reader, 1) != 1 || !stage_group(s->stages.at[reader]))
		return target->operands->sum;
	return reads_in_lanes(s->stages.at[reader], s->stages.at[stage]->tensor) ? target->operands->b : target->operands->a;
}
