/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/polyphase.c - a sum over windows with a stride as one for each phase, which results add; beside the sum as it is. Taps that
 * are 0 make it another algorithm: of what is infinite they are no number. */
#include "search/space/short_rows.h"

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	short_rows_emit(k, s, stage, DERIVATION_POLYPHASE);
}

const struct rule rule_polyphase = {
	.name = "polyphase",
	.derives = true,
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
