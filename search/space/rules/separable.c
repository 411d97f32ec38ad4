/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/separable.c - a reduction over windows of several dims, of the innermost behind the others; beside the reduction as it is. */
#include "search/space/sketch.h"
#include "te/derive/separable.h"

/* 2x2 has 4 elements either way, and gained nothing (docs/performance.md). */
enum { LEAST_TAPS = 3 };

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	/* What computes out of scratchpads has instructions for windows, and none for what stands between. */
	if (!k->aim.target->operands && sketch_add(next, step_derive(stage, DERIVATION_SEPARABLE, LEAST_TAPS), ROLE_FIXED))
		sketch_emit_derived(k, next, stage);
}

const struct rule rule_separable = {
	.name = "separable",
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
