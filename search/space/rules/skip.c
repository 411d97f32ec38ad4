/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/skip.c - leaves a stage as it is: an input, or one that a neighbour's rule treats. */
#include "search/space/expression/group.h"
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	return !group_wants_panels(s->state, stage);	/* else see panels and cache_read */
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	(void)stage;
	sketch_emit(k, sketch_copy(k->arena, s), s->at - 1);
}

const struct rule rule_skip = {
	.name = "skip",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
