/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/phases.c - a sum whose taps or elements depend on the phase of a place as one for each phase,
 * beside the sum as it is: windows of neighbours, which other rules know. */
#include "search/space/sketch.h"
#include "te/derive/phases.h"

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int first = s->state->stages.n;

	if (!sketch_add(next, step_derive(stage, DERIVATION_PHASES, PHASES_LEAST), ROLE_FIXED))
		return;
	sketch_add(next, step_place(first), ROLE_FIXED);	/* refused: no constant */
	sketch_emit_derived(k, next, stage);
}

const struct rule rule_phases = {
	.name = "phases",
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
