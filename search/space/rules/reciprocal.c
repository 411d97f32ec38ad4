/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/reciprocal.c - a division by what a row shares is a product with its reciprocal. */
#include "search/space/sketch.h"
#include "te/derive/reciprocal.h"

/* Quotients of a divisor from which on it is worth it: one division is spared for all but one of them. A vector of AVX
 * has as many floats; with fewer, the divisors themselves would be vectors. */
enum { LEAST_SHARING = 8 };

static bool applies(const struct sketch *s, int stage)
{
	return sketch_may_derive(s, stage) && reciprocal_divisor(&s->state->stages.at[stage]->op, LEAST_SHARING);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	if (sketch_add(next, step_derive(stage, DERIVATION_RECIPROCAL, LEAST_SHARING), ROLE_FIXED))
		sketch_emit(k, next, sketch_place(next, stage) + 1);
}

const struct rule rule_reciprocal = {
	.name = "reciprocal",
	.ends = true,
	.derives = true,
	.applies = applies,
	.apply = apply,
};
