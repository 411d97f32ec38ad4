/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/pack_inputs.c - packs a constant, or what was made of one, in the order in which a tiled reduction reads it. */
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];
	int reader;

	return stage_is_constant(g) && !g->packed
	    && state_consumers(s->state, stage, &reader, 1) == 1
	    && op_is_reduction(&s->state->stages.at[reader]->op)
	    && s->state->stages.at[reader]->place == PLACE_AT;	/* tiled */
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	int reader;

	state_consumers(s->state, stage, &reader, 1);
	bool needed = stage_group(s->state->stages.at[reader]);	/* an intrinsic reads it no other way */

	if (sketch_add(next, step_layout(stage), needed ? ROLE_FIXED : ROLE_OPTIONAL))
		sketch_emit(k, next, s->at - 1);
}

const struct rule rule_pack_inputs = {
	.name = "pack-inputs",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
