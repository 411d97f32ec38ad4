/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/unblocked.c - a sum whose channels lie in blocks of fewer than lanes, over all of them side by side; beside the
 * sum as it is. */
#include "search/space/sketch.h"
#include "te/derive/unblocked.h"

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int first = s->state->stages.n;
	int lanes = target_lanes(k->aim.target, dtype_bytes(s->state->stages.at[stage]->op.tensor.dtype));

	/* The second is refused where the weight is no constant: a copy in each run costs as much as lanes spare. */
	if (sketch_add(next, step_derive(stage, DERIVATION_UNBLOCKED, lanes), ROLE_FIXED) &&
	    sketch_add(next, step_place(first), ROLE_FIXED))
		sketch_emit_derived(k, next, stage);
}

const struct rule rule_unblocked = {
	.name = "unblocked",
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
