/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/rows.c - sums of rows have lanes along the rows and nothing else: one term after the other they
 * are slower, and may be further off than a sum may be (te/error/error.h). */
#include "search/space/expression/reads.h"
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	return rule_rfactor.applies(s, stage)
	    && reads_rows_once(s->state->dag, &s->state->stages.at[stage]->op);	/* else a tile may reuse what it reads */
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	rule_rfactor.apply(k, s, stage);
}

const struct rule rule_rows = {
	.name = "rows",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
