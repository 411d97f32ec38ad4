/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/tile_fused.c - tiles a reduction at several levels, inside the loops of the consumer
 * that stores its result: space, space, reduce, space, reduce, space.
 *
 * The consumer's loops are the outer levels. The innermost tile of the reduction is written out and
 * its accumulators are registers; the consumer (bias, activation, or a mere copy) takes them from
 * there. An axis whose remainder is read (the phases of a transposed convolution) is first split by
 * that period: then neighbours in lanes and in the tile read the same weights, and the remainders
 * are numbers. */
#include "base/integer.h"
#include "search/space/expression/group.h"
#include "search/space/level.h"
#include "search/space/expression/reads.h"
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	if (!stage_computes(g) || !op_is_reduction(&g->op) || !stage_is_untouched(g) ||
	    g->op.tensor.ndim == 0)	/* a single number has no tile */
		return false;
	int consumer = fusible_consumer(s->state, stage, NULL);

	return consumer >= 0
	    && stage_is_untouched(s->state->stages.at[consumer]);	/* one tile a consumer */
}

/* Splits those loops of the consumer that run along a periodic dim of REDUCTION; WHOLE[i] becomes
 * what is left of loop i. The sampler sees these before it picks the tile. */
static bool split_phases(struct sketch *s, int consumer, const struct op *reduction,
			 const int *axis, int *whole, struct level *phases)
{
	for (int d = 0; d < reduction->tensor.ndim; d++) {
		int64_t period = reads_period(reduction, d);
		int phase;

		if (period == 1 || reduction->tensor.shape[d] == 1)
			continue;
		if (!sketch_split(s, consumer, axis[d], period, ROLE_PERIOD, &whole[axis[d]], &phase))
			return false;
		level_push(phases, phase);
	}
	return true;
}

/* The dim of OP that runs along the consumer's loop I, by AXIS; -1: none. */
static int dim_along(const struct op *op, const int *axis, int i)
{
	for (int d = 0; d < op->tensor.ndim; d++)
		if (axis[d] == i)
			return d;
	return -1;
}

/* The consumer's loops: outer, middle, then the tile with its lanes innermost. Returns the number
 * of loops around the tile, -1 where the state refuses. GROUPED: an intrinsic computes the tile. */
static int tile_consumer(struct sketch *s, int consumer, const struct op *reduction,
			 const int *axis, int vector, bool grouped)
{
	const struct op op = s->state->stages.at[consumer]->op;
	struct level outer = { .n = 0 }, middle = { .n = 0 }, tile = { .n = 0 }, all = { .n = 0 };
	struct level phases = { .n = 0 };
	struct level tails = { .n = 0 }, edges = { .n = 0 };
	int whole[TENSOR_MAX_DIMS];
	int lanes = -1;

	for (int i = 0; i < op.tensor.ndim; i++)
		whole[i] = i;
	if (!split_phases(s, consumer, reduction, axis, whole, &phases))
		return -1;
	for (int i = 0; i < op.tensor.ndim; i++) {
		int o, t, oo, om;

		if (op.tensor.shape[i] == 1) {
			level_push(&all, i);
			continue;
		}
		if (!sketch_split(s, consumer, whole[i], 0, i == vector ? ROLE_TILE_VECTOR : ROLE_TILE, &o,
			   &t) ||
		    !sketch_split(s, consumer, o, 0, ROLE_OUTER, &oo, &om))
			return -1;
		if (!reads_constant_along(s->state->dag, reduction, dim_along(reduction, axis, i)) &&	/* it would be packed again and again */
		    !(grouped && i == vector))	/* nor is a panel cut */
			level_push(&tails, t);
		if (reads_window_along(reduction, dim_along(reduction, axis, i))) {
			level_push(&edges, oo);
			level_push(&edges, om);
		}
		if (i == vector && !sketch_split(s, consumer, t, 0, ROLE_VECTOR, &t, &lanes))
			return -1;
		level_push(&outer, oo);
		level_push(&middle, om);
		level_push(&tile, t);
	}
	level_append(&all, &outer);
	level_append(&all, &middle);
	int around = all.n;

	level_append(&tile, &phases);
	level_append(&all, &tile);
	if (lanes >= 0)
		level_push(&all, lanes);
	if (around == 0 || all.n == STEP_MAX_ITERS || !sketch_reorder(s, consumer, &all, ROLE_FIXED) ||
	    !sketch_reorder(s, consumer, &outer, ROLE_PERMUTE) ||
	    !sketch_reorder(s, consumer, &middle, ROLE_PERMUTE) || !sketch_annotate(s, consumer, &tile, ANNOTATION_UNROLL))
		return -1;
	if (lanes >= 0 &&
	    !sketch_add(s, step_annotate(consumer, lanes, ANNOTATION_VECTOR), ROLE_FIXED))
		return -1;
	/* What becomes of these is left to the sampler. */
	return sketch_border(s, consumer, &tails, BORDER_OPEN, ROLE_TAIL) &&
	       sketch_border(s, consumer, &edges, BORDER_OPEN, ROLE_EDGE) ? around : -1;
}

/* The reduction's loops: outer reduce, then all that is written out, the turns of an intrinsic's GROUP around the
 * lanes innermost. */
static bool tile_reduction(struct sketch *s, int stage, int vector, const struct group_use *group)
{
	const struct op op = s->state->stages.at[stage]->op;
	struct level outer = { .n = 0 }, inner = { .n = 0 }, all = { .n = 0 };
	int lanes = -1, turns = -1;

	for (int i = 0; i < op.nreduce; i++) {
		int iter = op.tensor.ndim + i;
		int k0, k1;

		if (group->by && i == group->reduce &&
		    !sketch_split(s, stage, iter, group->by->group, ROLE_FIXED, &iter, &turns))
			return false;

		if (op.reduce[i]->hi == 1) {
			level_push(&outer, iter);
			continue;
		}
		if (!sketch_split(s, stage, iter, 0, ROLE_REDUCE, &k0, &k1))
			return false;
		level_push(&outer, k0);
		level_push(&inner, k1);
	}
	for (int d = 0; d < op.tensor.ndim; d++) {
		int64_t period = op.tensor.shape[d] == 1 ? 1 : reads_period(&op, d);
		int t = d, phase;

		if (period > 1) {
			if (!sketch_split(s, stage, d, period, ROLE_FIXED, &t, &phase))
				return false;
			level_push(&inner, phase);
		}
		if (d == vector && !sketch_split(s, stage, t, 0, ROLE_VECTOR, &t, &lanes))
			return false;
		level_push(&inner, t);
	}
	level_append(&all, &outer);
	level_append(&all, &inner);
	if (turns >= 0)
		level_push(&all, turns);
	if (lanes >= 0)
		level_push(&all, lanes);
	if (all.n == STEP_MAX_ITERS || !sketch_reorder(s, stage, &all, ROLE_FIXED) ||
	    !sketch_reorder(s, stage, &outer, ROLE_PERMUTE) ||
	    !sketch_reorder(s, stage, &inner, ROLE_BODY_ORDER) || !sketch_annotate(s, stage, &inner, ANNOTATION_UNROLL))
		return false;
	if (turns >= 0 && !sketch_add(s, step_tensorize(stage, turns, group->by->id), ROLE_FIXED))
		return false;
	return lanes < 0 ||
	       sketch_add(s, step_annotate(stage, lanes, ANNOTATION_VECTOR), ROLE_FIXED);
}

static void tile(struct sketcher *k, const struct sketch *s, int stage, int dim, const int *axis)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int consumer = fusible_consumer(s->state, stage, NULL);
	const struct op reduction = s->state->stages.at[stage]->op;
	const struct group_use group = group_of(s->state, stage, dim, k->aim.target);

	if (!sketch_locate(next, consumer, ROLE_STRIP))
		return;
	int around = tile_consumer(next, consumer, &reduction, axis, axis[dim], group.by != NULL);
	struct step place = {
		.kind = STEP_COMPUTE_AT, .stage = stage, .target = consumer, .size = around - 1
	};

	if (around > 0 && sketch_add(next, place, ROLE_PLACE) && tile_reduction(next, stage, dim, &group))
		sketch_emit(k, next, s->at - 1);
}

struct copy_search {
	const struct state *s;
	const struct axis *lanes;	/* the innermost dim of a copy */
};

static bool find_copy(const struct expr *e, void *user)
{
	struct copy_search *c = user;

	if (e->kind == EXPR_LOAD && e->tensor->ndim > 0 && c->s->stages.at[state_stage_of(c->s, e->tensor)]->is_cache && e->index[e->tensor->ndim - 1]->kind == EXPR_AXIS)
		c->lanes = e->index[e->tensor->ndim - 1]->axis;
	return !c->lanes;
}

/* The dim of OP along which a copy of what it reads lies that was made for it (search/space/rules/channels_last.c); -1: there is none. */
static int dim_of_copy(const struct state *s, const struct op *op)
{
	struct copy_search c = { .s = s };
	int d = op->tensor.ndim - 1;

	expr_visit(op->body, find_copy, &c);
	while (d >= 0 && op->space[d] != c.lanes)
		d--;
	return d;
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];
	int axis[TENSOR_MAX_DIMS];
	int last = (int)most(tensor_innermost(&g->op.tensor), 0), copied = dim_of_copy(s->state, &g->op);

	fusible_consumer(s->state, stage, axis);
	if (copied >= 0) {
		tile(k, s, stage, copied, axis);
		return;
	}
	bool wide = g->op.tensor.shape[last] >= MIN_LANES;
	bool found = false;

	/* Lanes along another axis are scattered where they are stored: for nothing if these suit. */
	for (int d = last - 1; d >= 0 && !(wide && reads_suit_lanes(s->state->dag, &g->op, last)); d--)
		if (g->op.tensor.shape[d] >= MIN_LANES && reads_suit_lanes(s->state->dag, &g->op, d)) {
			tile(k, s, stage, d, axis);
			found = true;
		}
	if (wide || !found)
		tile(k, s, stage, last, axis);
}

const struct rule rule_tile_fused = {
	.name = "tile-fused",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
