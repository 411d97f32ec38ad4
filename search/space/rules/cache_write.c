/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/cache_write.c - gives a reduction a private tile, so that its accumulators live in
 * registers, where no consumer can be fused to play that part. */
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return stage_computes(g) && op_is_reduction(&g->op)	/* nothing to accumulate otherwise */
	    && stage_is_untouched(g)
	    && g->op.tensor.ndim > 0			/* a single number has no tile */
	    && !g->is_cache				/* once */
	    && fusible_consumer(s->state, stage, NULL) < 0;	/* then the consumer is the cache */
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	if (!sketch_add(next, step_cache_write(stage), ROLE_FIXED))
		return;
	/* The cache stands where the stage was; the stage itself, now a copy, is behind it. */
	sketch_emit(k, next, s->at);
}

const struct rule rule_cache_write = {
	.name = "cache-write",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
