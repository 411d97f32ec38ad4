/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/cache_read.c - copies what a tiled reduction reads again and again of an input next
 * to each other, as it is or in panels of the reduction's tile, at a loop of the reduction or its consumer. */
#include "search/space/panel.h"
#include "search/space/sketch.h"

/* Below this a tensor lies in the first-level cache as it is. */
enum { MIN_BYTES = 8192 };

struct plain_check {
	const struct tensor *tensor;
	bool plain;
};

static bool check_load(const struct expr *e, void *user)
{
	struct plain_check *c = user;

	if (e->kind == EXPR_SELECT)
		c->plain = false;
	if (e->kind == EXPR_LOAD && e->tensor == c->tensor)
		for (int i = 0; i < e->tensor->ndim; i++)
			c->plain &= e->index[i]->kind == EXPR_AXIS;
	return c->plain;
}

/* A window has a padded copy of its own to keep, or none to gain from. */
static bool reads_plainly(const struct op *reader, const struct tensor *t)
{
	struct plain_check c = { t, true };

	expr_visit(reader->body, check_load, &c);
	return c.plain;
}

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];
	int reader;

	return g->op.kind == OP_INPUT && g->op.tensor.ndim >= 2
	    && tensor_bytes(&g->op.tensor) >= MIN_BYTES
	    && state_consumers(s->state, stage, &reader, 1) == 1
	    && op_has_reuse(&s->state->stages.at[reader]->op)
	    && reads_plainly(&s->state->stages.at[reader]->op, g->tensor)
	    && s->state->stages.at[reader]->place == PLACE_AT;	/* tiled */
}

static void add_cache(struct sketcher *k, const struct sketch *s, int stage, bool panels)
{
	struct sketch *next = sketch_copy(k->arena, s);
	struct step layout;
	int reader;

	state_consumers(s->state, stage, &reader, 1);
	int cache = next->state->stages.n;

	if (!sketch_add(next, step_cache_read(stage, reader, NULL, 0), ROLE_FIXED))
		return;
	if (panels && (!panel_layout(next->state, cache, &layout) ||
		       !sketch_add(next, layout, ROLE_PANEL)))
		return;
	sketch_emit(k, next, s->at + 1);	/* the cache's own loops come next */
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	add_cache(k, s, stage, false);
	add_cache(k, s, stage, true);
}

const struct rule rule_cache_read = {
	.name = "cache-read",
	.applies = applies,
	.apply = apply,
};
