/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/panels.c - what is computed for one tiled reduction is stored in panels of its tile:
 * copies of operands, and operands that are computed themselves, which then need no copy. */
#include "search/space/panel.h"
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return g->stored.n == 0				/* once */
	    && stage_is_untouched(g)			/* its own loops come next */
	    && panel_is_own(s->state, stage)
	    && panel_reader(s->state, stage) >= 0;
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	struct step layout;

	if (panel_layout(next->state, stage, &layout) && sketch_add(next, layout, ROLE_PANEL))
		sketch_emit(k, next, s->at);
}

const struct rule rule_panels = {
	.name = "panels",
	.applies = applies,
	.apply = apply,
};
