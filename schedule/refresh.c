/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/refresh.c - derives extents and regions from a state's structure, where a step has changed what they
 * depend on, and values where they are asked for.
 *
 * Consumers come before their producers: what a loop of a consumer reads at one turn is what an
 * attached producer has to compute there. */
#include "schedule/refresh.h"

#include "base/integer.h"
#include "schedule/region.h"

/* --- iters: extents from the roots down, values from the leaves up. Searches split a stage ten times before they ask
 * for a value. */

static void derive_extents(struct stage *g)
{
	for (int i = 0; i < g->op.tensor.ndim; i++)
		g->iters.at[i].extent = g->part[i];
	for (int i = 0; i < g->relations.n; i++) {
		const struct relation *r = &g->relations.at[i];
		struct iter *parent = &g->iters.at[r->parent];
		struct iter *outer = &g->iters.at[r->outer];
		struct iter *inner = &g->iters.at[r->inner];

		if (r->kind == RELATION_FUSE) {
			parent->extent = outer->extent * inner->extent;
			continue;
		}
		inner->extent = least(r->size, parent->extent);
		if (r->tiles == BORDER_EVEN)	/* of as many tiles none is longer than it has to be */
			inner->extent = ceil_div(parent->extent, ceil_div(parent->extent, inner->extent));
		outer->extent = ceil_div(parent->extent, inner->extent);
	}
}

static const struct axis *new_axis(struct arena *a, const struct iter *it, int64_t hi)
{
	struct axis *axis = arena_one(a, struct axis);

	axis->name = it->name;
	axis->hi = hi;
	axis->reduce = it->reduce;
	return axis;
}

/* Makes IT a variable of its own, with values in [0, hi). */
static void add_let(struct arena *a, struct stage *g, struct iter *it, int64_t hi,
		    const struct expr *value)
{
	it->axis = new_axis(a, it, hi);
	it->value = expr_axis(a, it->axis);
	vec_push(a, &g->lets, (struct let){ it->axis, value });
}

static void derive_split(struct arena *a, struct stage *g, const struct relation *r)
{
	struct iter *parent = &g->iters.at[r->parent];
	const struct iter *outer = &g->iters.at[r->outer];
	const struct iter *inner = &g->iters.at[r->inner];
	const struct expr *start = expr_mul(a, outer->value, inner->extent);
	int64_t last = parent->extent - inner->extent;

	if (stage_has_short_tiles(g, r)) {
		start = expr_mul(a, outer->value, inner->extent - 1);
		start = expr_add(a, start, expr_binary(a, EXPR_MIN, outer->value,
						       expr_int(a, stage_long_tiles(g, r))));
	} else if (r->tiles == BORDER_SHIFT && stage_has_tail(g, r->inner)) {
		start = expr_binary(a, EXPR_MIN, start, expr_int(a, last));
		add_let(a, g, parent, last + 1, start);
		start = parent->value;
		parent->axis = NULL;	/* the let is the start of its tile, not the iter */
	}
	parent->value = expr_add(a, start, inner->value);
}

static void derive_fuse(struct arena *a, struct stage *g, const struct relation *r)
{
	const struct iter *parent = &g->iters.at[r->parent];
	struct iter *outer = &g->iters.at[r->outer];
	struct iter *inner = &g->iters.at[r->inner];
	const struct expr *size = expr_int(a, inner->extent);

	add_let(a, g, outer, outer->extent, expr_binary(a, EXPR_DIV, parent->value, size));
	add_let(a, g, inner, inner->extent, expr_binary(a, EXPR_MOD, parent->value, size));
}

static void derive_values(struct arena *a, struct stage *g)
{
	g->lets.n = g->lets.cap = 0;
	for (int i = 0; i < g->leaves.n; i++) {
		struct iter *it = &g->iters.at[g->leaves.at[i]];

		it->axis = new_axis(a, it, it->extent);
		it->value = expr_axis(a, it->axis);
	}
	for (int i = g->relations.n - 1; i >= 0; i--) {
		const struct relation *r = &g->relations.at[i];

		if (r->kind == RELATION_SPLIT)
			derive_split(a, g, r);
		else
			derive_fuse(a, g, r);
	}
}

void stage_settle(struct arena *a, struct stage *g)
{
	if (!g->settled && g->op.kind == OP_COMPUTE)
		derive_values(a, g);
	g->settled = true;
}

void state_settle(const struct state *s)
{
	for (int i = 0; i < s->stages.n; i++)
		stage_settle(s->arena, s->stages.at[i]);
}

/* --- regions: where a step has changed what they depend on */

/* What the region of an attached stage depends on: the loops around it, the values of readers. */
static bool needs_region(const struct state *s, int stage)
{
	const struct stage *g = s->stages.at[stage];

	if (g->stale == STALE_REGION)
		return true;
	for (const struct stage *at = g; at->place == PLACE_AT;) {
		at = s->stages.at[at->at_stage];
		if (at->stale > STALE_NOTHING)
			return true;
	}
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *reader = s->stages.at[i];

		if (reader->stale >= STALE_VALUES && stage_computes(reader) && stage_reads(reader, g->tensor))
			return true;
	}
	return false;
}

/* The stages whose values the region of STAGE, an attached one, is told by. */
static void settle_around(struct state *s, int stage)
{
	int consumers[64];
	int n = state_consumers(s, stage, consumers, 64);

	for (int i = 0; i < n && i < 64; i++)
		stage_settle(s->arena, s->stages.at[consumers[i]]);
	for (const struct stage *at = s->stages.at[stage]; at->place == PLACE_AT; at = s->stages.at[at->at_stage])
		stage_settle(s->arena, s->stages.at[at->at_stage]);
}

static void cover_tensor(struct arena *a, struct stage *g)
{
	const struct expr *zero = expr_int(a, 0);

	for (int d = 0; d < g->op.tensor.ndim; d++) {
		g->part[d] = g->op.tensor.shape[d];
		g->surplus[d].n = 0;
		g->base[d] = zero;
	}
}

static bool refresh_stage(struct state *s, int stage)
{
	struct stage *g = s->stages.at[stage];

	if (g->place == PLACE_AT && needs_region(s, stage)) {
		g->stale = STALE_REGION;
		settle_around(s, stage);
		if (!region_derive(s, stage))
			return false;
	} else if (g->stale == STALE_REGION) {
		cover_tensor(s->arena, g);
	}
	if (g->op.kind == OP_COMPUTE && g->stale >= STALE_VALUES) {
		derive_extents(g);
		g->settled = false;
	}
	return true;
}

unsigned state_stale(const struct state *s)
{
	unsigned kinds = 0;

	for (int i = 0; i < s->stages.n; i++)
		kinds |= 1U << s->stages.at[i]->stale;
	return kinds;
}

bool state_refresh(struct state *s)
{
	for (int i = s->order.n - 1; i >= 0; i--)
		if (!refresh_stage(s, s->order.at[i]))
			return false;
	for (int i = 0; i < s->stages.n; i++)
		s->stages.at[i]->stale = STALE_NOTHING;
	return true;
}
