/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/pad_terms.c - a sum of products that an intrinsic computes once it has zeros behind its terms: the
 * weight's are packed, the data is copied. Without, bytes are multiplied one by one. */
#include "search/space/expression/group.h"
#include "search/space/pad.h"
#include "search/space/sketch.h"

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	pad_terms(k, s, stage, group_padding(s->state, stage, k->aim.target, false));
}

const struct rule rule_pad_terms = {
	.name = "pad-terms",
	.ends = true,
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
