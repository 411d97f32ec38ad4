/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/decimated.c - a sum over windows with a stride as one at every place, of which results pick theirs; beside the sum as
 * it is. */
#include "search/space/short_rows.h"

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	short_rows_emit(k, s, stage, DERIVATION_DECIMATED);
}

const struct rule rule_decimated = {
	.name = "decimated",
	.applies = sketch_may_derive_reduction,
	.apply = apply,
};
