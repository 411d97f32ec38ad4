/* SPDX-License-Identifier: Apache-2.0 */
/* search/rules/loops.c - plain loops: lanes along the last axis, a few turns written out, computed
 * at a loop of the reader or at the root. */
#include "search/sketch.h"

/* Its reduction takes it along: see tile_fused. */
static bool has_fusible_producer(const struct state *s, int stage)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		if (stage_computes(g) && op_is_reduction(&g->op) && stage_is_untouched(g) &&
		    fusible_consumer(s, i, NULL) == stage)
			return true;
	}
	return false;
}

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return stage_computes(g)
	    && stage_is_untouched(g)			/* once */
	    && !has_fusible_producer(s->state, stage);
}

/* Lanes along the last axis, and turns of them that are written out. */
static bool add_lanes(struct sketch *s, int stage)
{
	const struct op op = s->state->stages.at[stage]->op;
	int last = op.tensor.ndim - 1;

	if (op_is_reduction(&op) || last < 0 || op.tensor.shape[last] == 1)
		return true;
	int iters = s->state->stages.at[stage]->iters.n;

	return sketch_add(s, step_split(stage, last, 0, TAIL_LOOP), ROLE_VECTOR) &&
	       sketch_add(s, step_annotate(stage, iters + 1, ANNOTATION_VECTOR), ROLE_FIXED) &&
	       sketch_add(s, step_split(stage, iters, 0, TAIL_LOOP), ROLE_UNROLL) &&
	       sketch_add(s, step_annotate(stage, iters + 3, ANNOTATION_UNROLL), ROLE_FIXED);
}

bool sketch_locate(struct sketch *s, int stage)
{
	int consumers[16];
	int n = state_consumers(s->state, stage, consumers, 16);

	if (s->state->stages.at[stage]->op.output || n == 0 || n > 16)
		return true;
	return sketch_add(s, (struct step){ .kind = STEP_COMPUTE_AT, .stage = stage,
					    .target = consumers[n - 1] },
			  ROLE_LOCATION);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	if (add_lanes(next, stage) && sketch_locate(next, stage))
		sketch_emit(k, next, s->at - 1);
}

const struct rule rule_loops = {
	.name = "loops",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
