/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/space_to_depth.c - a sum over windows with a stride as one over windows of neighbours and more channels, beside the
 * sum as it is. */
#include "search/space/sketch.h"
#include "te/derive/strides/space_to_depth.h"

/* The fewest taps that are left. 3x3 with stride 2 would have 2, one of a phase without a weight: more products than the algorithms
 * of its phases side by side have (te/derive/winograd.h), 100 for 81 a tile of 4. */
enum { LEAST_TAPS = 3 };

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int first = s->state->stages.n;

	if (!sketch_add(next, step_derive(stage, DERIVATION_SPACE_TO_DEPTH, LEAST_TAPS), ROLE_FIXED))
		return;
	sketch_add(next, step_place(first), ROLE_FIXED);	/* refused: no constant */
	sketch_emit_derived(k, next, stage);
}

const struct rule rule_space_to_depth = {
	.name = "space_to_depth",
	.derives = true,	/* terms that are 0, unless their data is no number */
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
