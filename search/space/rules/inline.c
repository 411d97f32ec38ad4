/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/inline.c - folds a producer into its consumers that is cheap, or read once.
 *
 * Where a reduction reads it, each element is computed as often as it is read: then keeping it,
 * computed at a loop of the reader, is the other choice (padding is the usual case). So it is where
 * an order of dims changes: all that is behind it can have contiguous lanes then. */
#include "search/space/expression/group.h"
#include "search/space/expression/reads.h"
#include "search/space/sketch.h"
#include "te/index/domain.h"

/* Each element has one use, so that nothing is computed twice. */
static bool is_read_once(const struct state *s, int stage)
{
	const struct stage *g = s->stages.at[stage];
	int reader = fusible_consumer(s, stage, NULL);

	return reader >= 0 && !op_is_reduction(&g->op) &&
	       expr_loads(s->stages.at[reader]->op.body, g->tensor) == 1;
}

/* Is STAGE in another order than what it reads, or than what reads it, where it is more than a copy itself? */
static bool changes_order(const struct state *s, int stage)
{
	const struct stage *g = s->stages.at[stage];
	int reader = fusible_consumer(s, stage, NULL);

	return reads_across(&g->op, NULL) ||
	       (reader >= 0 && !op_is_cheap(&g->op) && reads_across(&s->stages.at[reader]->op, g->tensor));
}

/* Puts STAGE elements side by side that its reductions read again and again? Inlined, each would gather them anew. */
static bool gathers_for_many(const struct state *s, int stage)
{
	const struct stage *g = s->stages.at[stage];
	int reader;

	if (!is_read_by_reduction(s, stage) || !reads_at_stride(&g->op) || state_consumers(s, stage, &reader, 1) != 1)
		return false;
	const struct op *by = &s->stages.at[reader]->op;

	return (double)tensor_count(&by->tensor) * op_terms(by) > (double)tensor_count(g->tensor);
}

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return stage_computes(g)			/* an input has no body */
	    && stage_is_untouched(g)			/* once */
	    && !is_taken_along(s->state, stage)		/* by its reduction */
	    && !g->is_cache				/* or the cache would be undone */
	    && g->stored.n == 0				/* so would its panels */
	    && !group_is_cut(s->state, stage) && !group_wants_panels(s->state, stage)
	    && (op_is_cheap(&g->op) || is_read_once(s->state, stage))
	    && state_consumers(s->state, stage, NULL, 0) > 0;
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);

	if (!gathers_for_many(s->state, stage) && sketch_add(next, step_inline(stage), ROLE_FIXED))
		sketch_emit(k, next, s->at - 1);
	if (is_read_by_reduction(s->state, stage) || changes_order(s->state, stage))
		rule_loops.apply(k, s, stage);
}

const struct rule rule_inline = {
	.name = "inline",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
