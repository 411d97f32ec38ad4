/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/shares.c - threads reduce a share each, where the elements of the result are too few to be
 * shared. */
#include "base/integer.h"
#include "search/space/sketch.h"
#include "te/index/domain.h"

/* Shares for each thread, so that one that comes late does not keep the others: chosen. Fewer terms do not pay for a
 * barrier: its 0.3 us at most (ARCHITECTURE.md) are as long as a thousand vectors of 16 take. */
enum { SHARES = 4, MIN_TERMS = 1 << 14 };

/* The outermost reduced axis of more than one element; -1 where there is none. */
static int outermost(const struct op *op)
{
	for (int i = 0; i < op->nreduce; i++)
		if (op->reduce[i]->hi > 1)
			return i;
	return -1;
}

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return stage_computes(g) && op_is_reduction(&g->op) && stage_is_untouched(g) && !g->is_cache
	    && !g->is_partial				/* once */
	    && op_terms(&g->op) >= MIN_TERMS
	    && outermost(&g->op) >= 0;
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	const struct op op = s->state->stages.at[stage]->op;
	int axis = outermost(&op);
	int64_t size = ceil_div(op.reduce[axis]->hi, (int64_t)SHARES * k->aim.threads);
	int shares = next->state->stages.at[stage]->iters.n;
	int partial = next->state->stages.n;

	if (k->aim.threads < 2 || tensor_count(&op.tensor) >= SHARES * k->aim.threads || size < 2)
		return;
	if (sketch_add(next, step_split(stage, op.tensor.ndim + axis, size), ROLE_FIXED) &&
	    sketch_add(next, step_rfactor(stage, shares), ROLE_FIXED))
		sketch_emit(k, next, sketch_place(next, partial) + 1);
}

const struct rule rule_shares = {
	.name = "shares",
	.applies = applies,
	.apply = apply,
};
