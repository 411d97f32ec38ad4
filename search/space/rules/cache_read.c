/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/cache_read.c - copies what a tiled reduction reads again and again next to each other, at a loop
 * of the reduction or its consumer, where the tensor itself cannot be stored for it: an input, or what others read,
 * too. */
#include "search/space/panel.h"
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return !stage_is_constant(g)	/* packed, which is not timed */
	    && !panel_is_own(s->state, stage)
	    && panel_reader(s->state, stage) >= 0;
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int reader = panel_reader(s->state, stage);

	if (sketch_add(next, step_cache_read(stage, reader, NULL, 0), ROLE_FIXED))
		sketch_emit(k, next, s->at + 1);	/* the cache's own layout and loops come next */
}

const struct rule rule_cache_read = {
	.name = "cache-read",
	.applies = applies,
	.apply = apply,
};
