/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/loops.c - plain loops: lanes along the last axis, a few turns written out, a transpose
 * in tiles; computed at a loop of the reader or at the root. */
#include "search/space/expression/group.h"
#include "search/space/expression/versions.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return stage_computes(g)
	    && stage_is_untouched(g)			/* once */
	    && !has_fusible_producer(s->state, stage)	/* else see tile_fused */
	    && !group_wants_panels(s->state, stage);	/* else see panels */
}

struct across_search {
	const struct op *op;
	int lanes, axis;	/* dims of op */
};

/* An axis other than that of the lanes by which a load moves from element to element. */
static bool search_across(const struct expr *e, void *user)
{
	struct across_search *c = user;

	if (e->kind != EXPR_LOAD)
		return true;
	int last = tensor_innermost(e->tensor);

	if (last < 0 || expr_uses_axis(e->index[last], c->op->space[c->lanes]))
		return true;
	for (int d = 0; d < c->lanes; d++)
		if (c->op->space[d]->hi > 1 && expr_uses_axis(e->index[last], c->op->space[d]))
			c->axis = d;
	return true;
}

/* What OP reads lies along a dim with others between it and that of the LANES: without tiles a
 * cache line is fetched for each element of it. The dim; -1 where there is none. */
static int dim_across(const struct op *op, int lanes)
{
	struct across_search c = { op, lanes, -1 };

	expr_visit(op->body, search_across, &c);
	for (int d = c.axis + 1; c.axis >= 0 && d < lanes; d++)
		if (op->tensor.shape[d] > 1)
			return c.axis;
	return -1;
}

/* A part of the turns of DIM is taken inside of LOOP, below which lanes run along dim LAST. */
static bool add_tile(struct sketch *s, int stage, int dim, int last, int loop)
{
	struct step order = step_reorder(stage, NULL, 0);
	int iters = s->state->stages.at[stage]->iters.n;

	for (int d = dim + 1; d < last; d++)
		step_push(&order, d);
	step_push(&order, loop);
	step_push(&order, iters + 1);
	return sketch_add(s, step_split(stage, dim, 0), ROLE_OUTER) &&
	       sketch_add(s, order, ROLE_FIXED);
}

/* Lanes along dim LAST, and right around them the turns of GROUP, with which they are words of one vector (pass/interleave.c).
 * Groups are written out: vectors are not, for the last has fewer lanes. */
static bool add_words(struct sketch *s, int stage, struct stored_dim group, int last)
{
	struct step order = step_reorder(stage, NULL, 0);
	int lanes = s->state->stages.at[stage]->iters.n + 1, groups = lanes + 1, turns = groups + 1;

	step_push(&order, groups + 2);
	for (int d = group.dim + 1; d < last; d++)
		step_push(&order, d);
	step_push(&order, lanes - 1);
	step_push(&order, groups + 3);
	step_push(&order, turns);
	step_push(&order, lanes);
	return sketch_add(s, step_split(stage, last, 0), ROLE_VECTOR) &&
	       sketch_add(s, step_annotate(stage, lanes, ANNOTATION_VECTOR), ROLE_FIXED) &&
	       sketch_add(s, step_split(stage, group.dim, group.block), ROLE_FIXED) &&
	       sketch_add(s, step_split(stage, groups, 0), ROLE_UNROLL) &&
	       sketch_add(s, step_annotate(stage, groups + 3, ANNOTATION_UNROLL), ROLE_FIXED) &&
	       sketch_add(s, order, ROLE_FIXED);
}

/* The dim of which a few turns are written out, around LANES along dim LAST: that one, or the next where one vector has it all. A loop of seven
 * rows of seven, left at another place each time, took 2.2 us of 7.0 (docs/performance.md). */
static int dim_written_out(const struct op *op, int last, int lanes)
{
	int d = last;

	if (op->tensor.shape[last] > lanes)
		return last;
	do
		d--;
	while (d >= 0 && op->tensor.shape[d] == 1);
	return d >= 0 ? d : last;
}

/* How many dims of copy OP, up to that before dim LAST, are the last ones of what it reads, in their order. */
static int dims_behind(const struct op *op, int last)
{
	const struct expr *e = op->body;
	int n = 0;

	while (e->kind == EXPR_LOAD && n < last && n < e->tensor->ndim) {
		const struct expr *index = e->index[e->tensor->ndim - 1 - n];

		if (index->kind != EXPR_AXIS || index->axis != op->space[last - 1 - n])
			break;
		n++;
	}
	return n;
}

/* Is G a copy with its lanes along what lies apart, of N dims whose rows are no blocks of as many turns as LANES? */
static bool copies_short_rows(const struct stage *g, int last, int n, int lanes)
{
	return g->is_cache && n > 1 && g->op.tensor.shape[last - 1] % lanes != 0;
}

/* Turns of the N dims before LAST as one loop around lanes: blocks of them are transposed (schedule/pass/transpose.c). */
static bool add_places(struct sketch *s, int stage, int last, int n)
{
	struct step order = step_reorder(stage, NULL, 0);
	int blocks = s->state->stages.at[stage]->iters.n, places[TENSOR_MAX_DIMS];

	for (int d = 0; d < last - n; d++)
		step_push(&order, d);
	step_push(&order, blocks);
	for (int i = 0; i < n; i++) {
		places[i] = last - n + i;
		step_push(&order, places[i]);
	}
	step_push(&order, blocks + 1);
	return sketch_add(s, step_split(stage, last, 0), ROLE_VECTOR) && sketch_add(s, order, ROLE_FIXED) &&
	       sketch_add(s, step_fuse(stage, places, n), ROLE_FIXED) &&
	       sketch_add(s, step_annotate(stage, blocks + 1, ANNOTATION_VECTOR), ROLE_FIXED);
}

/* Lanes along the last axis of more than one element, and turns of them that are written out. */
static bool add_lanes(struct sketch *s, int stage, const struct target *target)
{
	const struct op op = s->state->stages.at[stage]->op;
	const struct stored_dim group = group_stored(s->state->stages.at[stage]);
	int last = tensor_innermost(&op.tensor);

	if (op_is_reduction(&op) || last < 0)
		return true;
	if (group.block > 1)
		return add_words(s, stage, group, last);
	int behind = dims_behind(&op, last);

	if (copies_short_rows(s->state->stages.at[stage], last, behind, target_lanes(target, dtype_bytes(op.tensor.dtype))))
		return add_places(s, stage, last, behind);
	struct step order = step_reorder(stage, NULL, 0);
	int iters = s->state->stages.at[stage]->iters.n;
	int across = dim_across(&op, last);
	int out = across < 0 ? dim_written_out(&op, last, target_lanes(target, dtype_bytes(op.tensor.dtype))) : last;

	for (int d = last + 1; d < op.tensor.ndim; d++)
		step_push(&order, d);
	step_push(&order, last);
	return (order.n == 1 || sketch_add(s, order, ROLE_FIXED)) &&
	       sketch_add(s, step_split(stage, last, 0), ROLE_VECTOR) &&
	       sketch_add(s, step_annotate(stage, iters + 1, ANNOTATION_VECTOR), ROLE_FIXED) &&
	       sketch_add(s, step_split(stage, out == last ? iters : out, 0), ROLE_UNROLL) &&
	       sketch_add(s, step_annotate(stage, iters + 3, ANNOTATION_UNROLL), ROLE_FIXED) &&
	       (across < 0 || add_tile(s, stage, across, last, iters + 2));
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	if (add_lanes(next, stage, k->aim.target) && sketch_add_versions(next, stage) && sketch_locate(next, stage, ROLE_LOCATION))
		sketch_emit(k, next, s->at - 1);
}

const struct rule rule_loops = {
	.name = "loops",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
