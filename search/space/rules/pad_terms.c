/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/pad_terms.c - a sum of products that an intrinsic computes once it has zeros behind its terms: the
 * weight's are packed, the data is copied. Without, bytes are multiplied one by one. */
#include "search/space/group.h"
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	return sketch_may_derive(s, stage) && op_is_reduction(&s->state->stages.at[stage]->op);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int group = group_missed(s->state, stage, k->aim.target);
	int first = s->state->stages.n;

	if (group == 0 || !sketch_add(next, step_derive(stage, DERIVATION_PADDED, group), ROLE_FIXED))
		return;
	for (int i = first; i < next->state->stages.n; i++)
		sketch_add(next, step_place(i), ROLE_FIXED);	/* refused: the data's */
	sketch_emit(k, next, sketch_place(next, stage) + 1);
}

const struct rule rule_pad_terms = {
	.name = "pad-terms",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
