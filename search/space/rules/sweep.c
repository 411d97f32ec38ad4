/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/sweep.c - adds a few rows at a time to sums that are kept in a cache.
 *
 * For reductions that read each element of an operand once, in rows along the lanes of the result: a vector times a
 * matrix, sums of columns. A register tile would walk down all rows a few elements at a time, each in another
 * page; here rows are read as they lie. */
#include "search/space/expression/reads.h"
#include "search/space/sketch.h"

struct row_search {
	const struct op *op;
	int lanes;	/* dim of op */
	bool rows;	/* a load reads rows, each element once */
	bool apart;	/* another would have to gather its lanes */
};

static bool moves(const struct expr *load, int d, const struct axis *axis)
{
	return load->index[d]->kind == EXPR_AXIS && load->index[d]->axis == axis;
}

/* Does LOAD have an index that is just AXIS? */
static bool goes_along(const struct expr *load, const struct axis *axis)
{
	for (int d = 0; d < load->tensor->ndim; d++)
		if (moves(load, d, axis))
			return true;
	return axis->hi - axis->lo == 1;
}

static bool check_load(const struct expr *e, void *user)
{
	struct row_search *r = user;
	bool all = true;

	if (e->kind != EXPR_LOAD)
		return true;
	int last = e->tensor->ndim - 1;
	bool side_by_side = last >= 0 && moves(e, last, r->op->space[r->lanes]);

	for (int d = 0; d < r->op->tensor.ndim; d++)
		all &= goes_along(e, r->op->space[d]);
	for (int i = 0; i < r->op->nreduce; i++)
		all &= goes_along(e, r->op->reduce[i]);
	r->rows |= all && side_by_side;
	r->apart |= expr_uses_axis(e, r->op->space[r->lanes]) && !side_by_side;
	return true;
}

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];
	int consumer = fusible_consumer(s->state, stage, NULL);
	struct row_search r = { .op = &g->op, .lanes = tensor_innermost(&g->op.tensor) };

	if (!stage_computes(g) || !op_is_reduction(&g->op) || !stage_is_untouched(g) || consumer < 0 ||
	    !stage_is_untouched(s->state->stages.at[consumer]) || r.lanes < 0)
		return false;
	expr_visit(g->op.body, check_load, &r);
	return r.rows && !r.apart && g->op.tensor.shape[r.lanes] >= MIN_LANES;
}

/* The consumer in blocks of vectors along DIM; the number of loops around a block, -1 where the state refuses. */
static int block(struct sketch *s, int consumer, int dim)
{
	struct step order = step_reorder(consumer, NULL, 0);
	const struct stage *g = s->state->stages.at[consumer];
	int vectors = g->iters.n, lanes = vectors + 1, blocks = vectors + 2;

	for (int d = 0; d < g->op.tensor.ndim; d++)
		if (d != dim)
			step_push(&order, d);
	step_push(&order, blocks);
	int around = order.n;

	step_push(&order, blocks + 1);
	step_push(&order, lanes);
	return sketch_add(s, step_split(consumer, dim, 0), ROLE_VECTOR) &&
			       sketch_add(s, step_split(consumer, vectors, 0), ROLE_SUMS) &&
			       sketch_add(s, order, ROLE_FIXED) &&
			       sketch_add(s, step_annotate(consumer, lanes, ANNOTATION_VECTOR), ROLE_FIXED)
		       ? around
		       : -1;
}

/* All sums of the block for a few rows, which are written out around the lanes along DIM. */
static bool sweep(struct sketch *s, int stage, int dim)
{
	struct step order = step_reorder(stage, NULL, 0);
	const struct stage *g = s->state->stages.at[stage];
	int ndim = g->op.tensor.ndim, row = ndim + g->op.nreduce - 1;
	int rows = g->iters.n, written = rows + 1, vectors = rows + 2, lanes = rows + 3;

	for (int i = 0; i < row; i++)
		if (i != dim)
			step_push(&order, i);
	step_push(&order, rows);
	step_push(&order, vectors);
	step_push(&order, written);
	step_push(&order, lanes);
	return sketch_add(s, step_split(stage, row, 0), ROLE_ROWS) &&
	       sketch_add(s, step_split(stage, dim, 0), ROLE_VECTOR) &&
	       sketch_add(s, order, ROLE_FIXED) &&
	       sketch_add(s, step_annotate(stage, written, ANNOTATION_UNROLL), ROLE_FIXED) &&
	       sketch_add(s, step_annotate(stage, lanes, ANNOTATION_VECTOR), ROLE_FIXED);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int axis[TENSOR_MAX_DIMS];
	int consumer = fusible_consumer(s->state, stage, axis);
	int dim = tensor_innermost(&s->state->stages.at[stage]->op.tensor);

	if (!sketch_locate(next, consumer, ROLE_STRIP))
		return;
	int around = block(next, consumer, axis[dim]);
	struct step place = {
		.kind = STEP_COMPUTE_AT, .stage = stage, .target = consumer, .size = around - 1
	};

	if (around > 0 && sketch_add(next, place, ROLE_PLACE) && sweep(next, stage, dim))
		sketch_emit(k, next, s->at - 1);
}

const struct rule rule_sweep = {
	.name = "sweep",
	.applies = applies,
	.apply = apply,
};
