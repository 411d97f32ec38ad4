/* SPDX-License-Identifier: Apache-2.0 */
/* search/rules/inline.c - folds a cheap producer into its consumers.
 *
 * Where a reduction reads it, each element is computed as often as it is read: then keeping it,
 * computed at a loop of the reader, is the other choice (padding is the usual case). */
#include "search/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return stage_computes(g)			/* an input has no body */
	    && stage_is_untouched(g)			/* once */
	    && !g->is_cache				/* or the cache would be undone */
	    && op_is_inlinable(s->state->dag, &g->op)
	    && state_consumers(s->state, stage, NULL, 0) > 0;
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	if (sketch_add(next, step_inline(stage), ROLE_FIXED))
		sketch_emit(k, next, s->at - 1);
	if (is_read_by_reduction(s->state, stage))
		rule_loops.apply(k, s, stage);
}

const struct rule rule_inline = {
	.name = "inline",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
