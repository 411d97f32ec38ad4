/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/rfactor.c - reduces in lanes first and over the lanes last.
 *
 * For a reduction whose elements lie side by side in memory along the reduced axis: sums and
 * maxima of rows. The partial results are vectors; without them the lanes would have to write one
 * element. More than one of them hides how long an addition takes. */
#include "search/space/expression/reads.h"
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	if (!stage_computes(g) || !op_is_reduction(&g->op) || !stage_is_untouched(g) ||
	    g->is_cache)
		return false;
	return reads_rows(&g->op);
}

/* The elements of a turn are the last space axis of the partial stage: a few vectors, written out
 * inside its reduced axes, a few turns of the last of which are written out as well. */
static bool vectorize_partial(struct sketch *s, int partial)
{
	const struct stage *g = s->state->stages.at[partial];
	int turn = g->op.tensor.ndim - 1, last = turn + g->op.nreduce;
	int vectors = g->iters.n, lanes = vectors + 1, turns = vectors + 2, written = vectors + 3;
	int order[STEP_MAX_ITERS];
	int n = 0;

	for (int i = turn + 1; i < last; i++)
		order[n++] = i;
	order[n++] = turns;
	order[n++] = written;
	order[n++] = vectors;
	order[n++] = lanes;
	return sketch_add(s, step_split(partial, turn, 0), ROLE_VECTOR) &&
	       sketch_add(s, step_split(partial, last, 0), ROLE_REDUCE) &&
	       sketch_add(s, step_reorder(partial, order, n), ROLE_FIXED) &&
	       sketch_add(s, step_annotate(partial, written, ANNOTATION_UNROLL), ROLE_FIXED) &&
	       sketch_add(s, step_annotate(partial, vectors, ANNOTATION_UNROLL), ROLE_FIXED) &&
	       sketch_add(s, step_annotate(partial, lanes, ANNOTATION_VECTOR), ROLE_FIXED);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	const struct stage *g = next->state->stages.at[stage];
	int iter = g->op.tensor.ndim + g->op.nreduce - 1;
	int partial = next->state->stages.n;

	if (!sketch_add(next, step_split(stage, iter, 0), ROLE_TILE_VECTOR) ||
	    !sketch_add(next, step_rfactor(stage, iter + 2), ROLE_FIXED) ||
	    !vectorize_partial(next, partial))
		return;
	g = next->state->stages.at[stage];
	if (g->op.tensor.ndim > 0 &&
	    !sketch_add(next, (struct step){ .kind = STEP_COMPUTE_AT, .stage = partial,
					     .target = stage, .size = g->op.tensor.ndim - 1 },
			ROLE_PLACE))
		return;
	if (!sketch_add(next, step_annotate(stage, g->op.tensor.ndim, ANNOTATION_VECTOR), ROLE_FIXED))
		return;
	if (sketch_locate(next, stage, ROLE_STRIP))
		sketch_emit(k, next, sketch_place(next, partial));
}

const struct rule rule_rfactor = {
	.name = "rfactor",
	.applies = applies,
	.apply = apply,
};
