/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/short_rows.c - which sums these are. */
#include "search/space/short_rows.h"

#include "te/derive/strides/lane_windows.h"

/* Is a row of OP's results one vector at most? Depthwise 3x3 with stride 2 gained 1.32 on 14x14 and 1.26 on 28x28, and lost on 56x56 and 112x112,
 * whose vectors are full as it is (docs/performance.md). */
static bool has_short_rows(const struct op *op, const struct target *target)
{
	int lanes = tensor_innermost(&op->tensor);

	return lanes >= 0 && op->tensor.shape[lanes] <= target_lanes(target, dtype_bytes(op->tensor.dtype));
}

void short_rows_emit(struct sketcher *k, const struct sketch *s, int stage, enum derivation by)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int weight = s->state->stages.n;

	if (k->aim.target->operands || !has_short_rows(&s->state->stages.at[stage]->op, k->aim.target) ||
	    !sketch_add(next, step_derive(stage, by, LANE_WINDOWS_LEAST), ROLE_FIXED) ||
	    !sketch_add(next, step_place(weight), ROLE_FIXED))
		return;
	if (tensor_count(&next->state->stages.at[weight]->op.tensor) <= tensor_count(&s->state->stages.at[stage]->op.tensor))
		sketch_emit_derived(k, next, stage);
}
