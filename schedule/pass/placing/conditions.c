/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/placing/conditions.c - conditions and lets of a stage, with the loops that they need. */
#include "schedule/pass/placing/place.h"
#include "te/index/index.h"

/* Has a split's end, or another dim's, already asked for condition VALUE? Twice it would be no mask (schedule/mask.h). */
static bool is_placed(const struct body *b, const struct expr *value)
{
	for (int i = 0; i < b->placed.n; i++)
		if (!b->placed.at[i].axis && expr_equal(b->placed.at[i].value, value))
			return true;
	return false;
}

static void place(struct lowering *l, struct body *b, const struct axis *axis,
		  const struct expr *value)
{
	value = expr_simplify(l->a, value);
	if (!axis && ((value->kind == EXPR_INT && value->i) || is_placed(b, value)))
		return;		/* always true, or where the other is */
	struct depth_search s = depth_of(b->g, value);

	vec_push(l->a, &b->placed, (struct placed){ axis, value, s.depth, s.reduce });
}

struct packed_search {
	const struct state *s;
	const struct axis *axis;
	bool panels;		/* what is stored in panels will do */
	bool only_packed;
};

static bool search_unpacked(const struct expr *e, void *user)
{
	struct packed_search *s = user;
	const struct stage *read = e->kind == EXPR_LOAD ? s->s->stages.at[state_stage_of(s->s, e->tensor)] : NULL;

	if (read && (read->packed || (s->panels && read->stored.n > 0)))
		return false;
	if (e->kind == EXPR_AXIS && e->axis == s->axis)
		s->only_packed = false;
	return s->only_packed;
}

/* True where values of dim D beyond its end do no harm: only packed constants, which have zeros there, are read by
 * it, or panels, which have room, by an intrinsic, of which no lane does anything to another; and the stage's own
 * buffer has room. */
static bool may_overrun(const struct lowering *l, const struct stage *g, int d)
{
	struct packed_search s = { l->s, g->op.space[d], stage_group(g), true };

	expr_visit_once(g->op.body, search_unpacked, &s);
	return g->place == PLACE_AT && s.only_packed;
}

bool is_padded(const struct stage *g, int d)
{
	return g->op.kind == OP_COMPUTE && g->iters.at[d].border == BORDER_PAD;
}

static bool is_part_of_padded(const struct stage *g, int iter)
{
	int root = stage_root_of(g, iter);

	return root >= 0 && root < g->op.tensor.ndim && is_padded(g, root);
}

/* Does split R of G leave no rest, so that its outer iter's end is that of what it split? */
static bool divides(const struct stage *g, const struct relation *r)
{
	return g->iters.at[r->parent].extent % g->iters.at[r->inner].extent == 0;
}

/* What readers of dim D do not need in turns with a shorter tile is not computed there. */
static void place_surplus(struct lowering *l, struct body *b, int d)
{
	const struct stage *g = b->g;
	struct surplus surplus = g->surplus[d];

	if (surplus.n > 0)
		place(l, b, NULL, expr_binary(l->a, EXPR_OR, surplus.unless,
					      expr_binary(l->a, EXPR_LT, g->iters.at[d].value,
							  expr_int(l->a, g->part[d] - surplus.n))));
}

/* Of lanes along dim D that may run over its end no vector is computed that begins there: of 67 channels in tiles of three vectors the second
 * tile has two. An intrinsic's tiles are whole. */
static void place_whole_vectors(struct lowering *l, struct body *b, int d, const struct expr *value)
{
	const struct stage *g = b->g;
	const struct iter *last = &g->iters.at[g->leaves.at[g->leaves.n - 1]];
	const struct expr *first = expr_int(l->a, 0);

	if (last->annotation != ANNOTATION_VECTOR || !expr_uses_axis(value, last->axis) || stage_group(g))
		return;
	value = expr_substitute(l->a, value, &last->axis, &first, 1);
	place(l, b, NULL, expr_binary(l->a, EXPR_LT, value, expr_int(l->a, g->op.tensor.shape[d])));
}

void place_conditions(struct lowering *l, struct body *b)
{
	const struct stage *g = b->g;
	struct arena *a = l->a;

	for (int i = 0; i < g->lets.n; i++)
		place(l, b, g->lets.at[i].axis, g->lets.at[i].value);
	for (int i = 0; i < g->relations.n; i++) {
		const struct relation *r = &g->relations.at[i];
		const struct iter *parent = &g->iters.at[r->parent];

		if (stage_has_short_tiles(g, r))	/* first: then hardly any turn is left that is behind the end */
			place(l, b, NULL, stage_within_tile(a, g, r));
		if (r->kind == RELATION_SPLIT && !divides(g, r) && !is_part_of_padded(g, r->parent))
			place(l, b, NULL, expr_binary(a, EXPR_LT, parent->value,
						      expr_int(a, parent->extent)));
	}
	for (int d = 0; d < g->op.tensor.ndim; d++) {
		const struct expr *value = expr_add(a, g->base[d], g->iters.at[d].value);

		if (g->place != PLACE_AT || is_padded(g, d))
			continue;
		if (may_overrun(l, g, d)) {
			place_whole_vectors(l, b, d, value);
			continue;
		}
		place_surplus(l, b, d);
		place(l, b, NULL, expr_binary(a, EXPR_LE, expr_int(a, 0), value));
		place(l, b, NULL, expr_binary(a, EXPR_LT, value,
					      expr_int(a, g->op.tensor.shape[d])));
	}
}
