/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/pad_tiles.c - a sum of products that an intrinsic on matrices computes in fewer operations once it has
 * zeros behind its terms, beside what it is without: the rule pad_terms goes on with that. */
#include "search/space/expression/group.h"
#include "search/space/pad.h"
#include "search/space/sketch.h"
#include "te/derive/padded_sum.h"

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	const struct op *op = &s->state->stages.at[stage]->op;
	int64_t tiles = group_padding(s->state, stage, k->aim.target, true);
	int64_t groups = group_padding(s->state, stage, k->aim.target, false);

	if (!padded_sums_are_one(op, tiles, groups))
		pad_terms(k, s, stage, tiles);
}

const struct rule rule_pad_tiles = {
	.name = "pad-tiles",
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
