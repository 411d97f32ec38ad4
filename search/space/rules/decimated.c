/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/decimated.c - a sum over windows with a stride as one at every place, of which results pick theirs; beside the sum as
 * it is. */
#include "search/space/sketch.h"
#include "te/derive/decimated.h"

/* Is a row of OP's results one vector at most? Depthwise 3x3 with stride 2 gained 1.32 on 14x14 and 1.26 on 28x28, and lost on 56x56 and 112x112,
 * whose vectors are full as it is (docs/performance.md). */
static bool has_short_rows(const struct op *op, const struct target *target)
{
	int lanes = tensor_innermost(&op->tensor);

	return lanes >= 0 && op->tensor.shape[lanes] <= target_lanes(target, dtype_bytes(op->tensor.dtype));
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int weight = s->state->stages.n, sums = weight + 1;

	if (k->aim.target->operands || !has_short_rows(&s->state->stages.at[stage]->op, k->aim.target) ||
	    !sketch_add(next, step_derive(stage, DERIVATION_DECIMATED, DECIMATED_LEAST), ROLE_FIXED) ||
	    !sketch_add(next, step_place(weight), ROLE_FIXED))
		return;
	/* Over channels there are more weights than sums, and each comes from afar for a row or two. */
	if (tensor_count(&next->state->stages.at[weight]->op.tensor) <= tensor_count(&next->state->stages.at[sums]->op.tensor))
		sketch_emit_derived(k, next, stage);
}

const struct rule rule_decimated = {
	.name = "decimated",
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
