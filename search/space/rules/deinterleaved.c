/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/deinterleaved.c - a reduction whose lanes would read at a stride, over a copy of its data in which they read
 * side by side; beside the reduction as it is. */
#include "search/space/sketch.h"
#include "te/derive/strides/deinterleaved.h"

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	if (sketch_add(next, step_derive(stage, DERIVATION_DEINTERLEAVED, DEINTERLEAVED_LEAST), ROLE_FIXED))
		sketch_emit_derived(k, next, stage);
}

const struct rule rule_deinterleaved = {
	.name = "deinterleaved",
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
