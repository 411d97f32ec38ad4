/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/tile_matrix.c - tiles a reduction as tile_fused does, for a unit that multiplies matrices: what is written
 * out is operations on its tiles, of so many rows, lanes and groups of terms each.
 *
 * All tiles of a kernel have one shape, so rows, lanes and groups are divided by what a tile has of them, or by less. */
#include "base/integer.h"
#include "search/space/expression/group.h"
#include "search/space/level.h"
#include "search/space/expression/reads.h"
#include "search/space/sketch.h"

/* Of fewer rows or groups a tile is mostly empty: chosen, not measured. */
enum { MIN_ROWS = 4, MIN_DEPTH = 4 };

/* What is being built. */
struct matrix_tiling {
	struct sketch *s;
	int stage, consumer;
	struct op op;
	int axis[TENSOR_MAX_DIMS];	/* of the consumer, by dim of the op */
	struct group_use group;
	int row_dim, lane_dim;	/* of the op */
	int64_t rows, depth;	/* of a tile */
	bool tail;		/* rows are left over, for a tile that has fewer or is moved back */
	int around;		/* loops of the consumer around its tile */
};

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	if (!stage_computes(g) || !op_is_reduction(&g->op) || !stage_is_untouched(g))
		return false;
	int consumer = fusible_consumer(s->state, stage, NULL);

	return consumer >= 0
	    && stage_is_untouched(s->state->stages.at[consumer]);	/* one tile a consumer */
}

/* The innermost dim with most rows for a tile, of those that move one operand and not the other. */
static void choose_rows(struct matrix_tiling *m)
{
	const struct expr *u = expr_cast_load(m->op.body->arg[0]), *v = expr_cast_load(m->op.body->arg[1]);
	int most = m->group.by->rows;

	for (int d = m->lane_dim - 1; d >= 0; d--) {
		int64_t extent = m->op.tensor.shape[d], rows = divisor_up_to(extent, most);
		bool tail = extent > most && 2 * rows < most;

		rows = tail ? most : rows;
		if (expr_uses_axis(u, m->op.space[d]) == expr_uses_axis(v, m->op.space[d]) || rows <= m->rows)
			continue;
		m->rows = rows;
		m->row_dim = d;
		m->tail = tail;
	}
}

/* How tiles lie in the op; false where they would not. */
static bool choose_shape(struct matrix_tiling *m)
{
	const struct intrinsic *x = m->group.by;

	if (!x || m->op.tensor.shape[m->lane_dim] < x->lanes)
		return false;
	for (int d = 0; d < m->op.tensor.ndim; d++)
		if (reads_period(&m->op, d) > 1)
			return false;
	choose_rows(m);
	m->depth = divisor_up_to(m->op.reduce[m->group.reduce]->hi / x->group, x->depth);
	return m->rows >= MIN_ROWS && m->depth >= MIN_DEPTH;
}

/* The part of a dim that a tile has; 0: of its one element. */
static int64_t part_of(const struct matrix_tiling *m, int dim)
{
	return dim == m->lane_dim ? m->group.by->lanes : dim == m->row_dim ? m->rows : 0;
}

static int dim_along(const struct matrix_tiling *m, int axis)
{
	int d = 0;

	while (m->axis[d] != axis)
		d++;
	return d;
}

/* The consumer's loops: outer, middle, tiles, and what is in one. */
static bool tile_consumer(struct matrix_tiling *m)
{
	struct level all = { .n = 0 }, outer = { .n = 0 }, middle = { .n = 0 }, tiles = { .n = 0 }, rows = { .n = 0 },
		     lanes = { .n = 0 };

	for (int i = 0; i < m->op.tensor.ndim; i++) {
		int dim = dim_along(m, i), o = i, in, t, oo, om;

		if (m->op.tensor.shape[dim] == 1) {
			level_push(&all, i);
			continue;
		}
		if (part_of(m, dim) && !sketch_split(m->s, m->consumer, i, part_of(m, dim), ROLE_FIXED, &o, &in))
			return false;
		bool alone = dim == m->row_dim && m->tail;	/* those of a time have one shape */

		if ((!alone && !sketch_split(m->s, m->consumer, o, 0, ROLE_MATRIX, &o, &t)) ||
		    !sketch_split(m->s, m->consumer, o, 0, ROLE_OUTER, &oo, &om))
			return false;
		level_push(&outer, oo);
		level_push(&middle, om);
		if (!alone)
			level_push(&tiles, t);
		if (part_of(m, dim))
			level_push(dim == m->lane_dim ? &lanes : &rows, in);
	}
	level_append(&all, &outer);
	level_append(&all, &middle);
	m->around = all.n;
	level_append(&all, &tiles);
	level_append(&all, &rows);
	level_append(&all, &lanes);
	return all.n < STEP_MAX_ITERS && sketch_reorder(m->s, m->consumer, &all, ROLE_FIXED) &&
	       sketch_reorder(m->s, m->consumer, &outer, ROLE_PERMUTE) &&
	       sketch_reorder(m->s, m->consumer, &middle, ROLE_PERMUTE) &&
	       sketch_annotate(m->s, m->consumer, &tiles, ANNOTATION_UNROLL) &&
	       sketch_annotate(m->s, m->consumer, &lanes, ANNOTATION_VECTOR) &&
	       (!m->tail || sketch_border(m->s, m->consumer, &rows, BORDER_OPEN, ROLE_TAIL));
}

/* The loops over what is reduced: OUTER ones, and those of a tile, INNER. */
static bool split_terms(struct matrix_tiling *m, struct level *outer, struct level *inner)
{
	for (int i = 0; i < m->op.nreduce; i++) {
		int iter = m->op.tensor.ndim + i, depth, turns;

		if (i == m->group.reduce) {
			if (!sketch_split(m->s, m->stage, iter, m->group.by->group, ROLE_FIXED, &iter, &turns) ||
			    !sketch_split(m->s, m->stage, iter, m->depth, ROLE_FIXED, &iter, &depth))
				return false;
			level_push(inner, depth);
			level_push(inner, turns);
		}
		level_push(outer, iter);
	}
	return true;
}

/* The reduction's loops: terms, tiles, and the product of two. */
static bool tile_reduction(struct matrix_tiling *m)
{
	struct level all = { .n = 0 }, outer = { .n = 0 }, tiles = { .n = 0 }, product = { .n = 0 }, terms = { .n = 0 };
	struct level lanes = { .n = 0 };

	if (!split_terms(m, &outer, &terms))
		return false;
	for (int d = 0; d < m->op.tensor.ndim; d++) {
		int t = d, in;

		if (part_of(m, d) && !sketch_split(m->s, m->stage, d, part_of(m, d), ROLE_FIXED, &t, &in))
			return false;
		level_push(&tiles, t);
		if (part_of(m, d))
			level_push(d == m->lane_dim ? &lanes : &product, in);
	}
	level_append(&product, &terms);
	level_append(&product, &lanes);
	level_append(&all, &outer);
	level_append(&all, &tiles);
	level_append(&all, &product);
	return all.n < STEP_MAX_ITERS && sketch_reorder(m->s, m->stage, &all, ROLE_FIXED) &&
	       sketch_reorder(m->s, m->stage, &outer, ROLE_PERMUTE) &&
	       sketch_annotate(m->s, m->stage, &tiles, ANNOTATION_UNROLL) &&
	       sketch_add(m->s, step_tensorize(m->stage, terms.at[1], m->group.by->id), ROLE_FIXED) &&
	       sketch_annotate(m->s, m->stage, &lanes, ANNOTATION_VECTOR);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct matrix_tiling m = { .stage = stage, .op = s->state->stages.at[stage]->op, .row_dim = -1 };

	m.lane_dim = tensor_innermost(&m.op.tensor);
	m.consumer = fusible_consumer(s->state, stage, m.axis);
	if (m.lane_dim < 1 || m.axis[m.lane_dim] != m.op.tensor.ndim - 1)	/* lanes lie side by side where they are stored */
		return;
	m.group = group_of_matrix(s->state, stage, m.lane_dim, k->aim.target);
	if (!choose_shape(&m))
		return;
	m.s = sketch_copy(k->arena, s);
	if (!sketch_locate(m.s, m.consumer, ROLE_STRIP) || !tile_consumer(&m))
		return;
	struct step place = {
		.kind = STEP_COMPUTE_AT, .stage = stage, .target = m.consumer, .size = m.around - 1
	};

	if (m.around > 0 && sketch_add(m.s, place, ROLE_PLACE) && tile_reduction(&m))
		sketch_emit(k, m.s, s->at - 1);
}

const struct rule rule_tile_matrix = {
	.name = "tile-matrix",
	.applies = applies,
	.apply = apply,
};
