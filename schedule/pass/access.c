/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/access.c - what a stage reads: loads of stages as loads of their buffers, packed
 * constants by the loops that use them, axes by their values. */
#include "schedule/narrow.h"
#include "schedule/pass/place.h"
#include "te/index/index.h"

/* Beyond this a packed constant repeats too much of itself to be worth its memory. */
enum { PACK_MAX_GROWTH = 4 };

struct root_map root_map_of(struct arena *a, const struct stage *g)
{
	struct root_map m = { .n = 0 };

	for (int i = 0; i < g->op.tensor.ndim; i++) {
		m.from[m.n] = g->op.space[i];
		m.to[m.n++] = expr_add(a, g->base[i], g->iters.at[i].value);
	}
	for (int i = 0; i < g->op.nreduce; i++) {
		m.from[m.n] = g->op.reduce[i];
		m.to[m.n++] = g->iters.at[g->op.tensor.ndim + i].value;
	}
	return m;
}

static void search_depth(struct depth_search *s, const struct stage *g, const struct expr *e)
{
	int n = e->kind == EXPR_LOAD ? e->tensor->ndim : expr_kind_arity(e->kind);
	const struct expr *const *arg = e->kind == EXPR_LOAD ? e->index : e->arg;

	if (!e->axes)
		return;
	for (int i = 0; i < n; i++)
		search_depth(s, g, arg[i]);
	if (e->kind != EXPR_AXIS)
		return;
	for (int i = 0; i < g->leaves.n; i++)
		if (g->iters.at[g->leaves.at[i]].axis == e->axis) {
			s->depth = i + 1 > s->depth ? i + 1 : s->depth;
			s->reduce |= g->iters.at[g->leaves.at[i]].reduce;
			return;
		}
	for (int i = 0; i < g->lets.n; i++)
		if (g->lets.at[i].axis == e->axis)
			search_depth(s, g, g->lets.at[i].value);
}

struct depth_search depth_of(const struct stage *g, const struct expr *e)
{
	struct depth_search s = { 0, false };

	search_depth(&s, g, e);
	return s;
}

static bool varies_with(const struct expr *const *index, int n, const struct axis *axis)
{
	for (int i = 0; i < n && axis->hi > 1; i++)
		if (expr_uses_axis(index[i], axis))
			return true;
	return false;
}

/* Adds the loops and lets around stage G, outermost first, that INDEX uses. */
static void collect_loops(struct lowering *l, int stage, const struct expr *const *index, int n,
			  struct pack *k)
{
	const struct stage *g = l->s->stages.at[stage];

	if (g->place == PLACE_AT)
		collect_loops(l, g->at_stage, index, n, k);
	for (int i = 0; i < g->leaves.n; i++) {
		const struct axis *loop = g->iters.at[g->leaves.at[i]].axis;

		if (varies_with(index, n, loop))
			vec_push(l->a, &k->loops, loop);
		for (int j = 0; j < g->lets.n; j++)
			if (varies_with(index, n, g->lets.at[j].axis) &&
			    depth_of(g, g->lets.at[j].value).depth == i + 1)
				vec_push(l->a, &k->loops, g->lets.at[j].axis);
	}
}

/* The packed form of constant stage I, read by stage READER at INDEX. */
static const struct expr *packed_load(struct lowering *l, int i, int reader,
				      const struct expr *const *index)
{
	struct pack *k = arena_one(l->a, struct pack);
	const struct tensor *raw = l->s->stages.at[i]->tensor;
	const struct expr *flat = expr_int(l->a, 0);
	int64_t count = 1;

	collect_loops(l, reader, index, raw->ndim, k);
	for (int j = 0; j < k->loops.n; j++) {
		int64_t extent = k->loops.at[j]->hi;

		flat = expr_add(l->a, expr_mul(l->a, flat, extent),
				expr_axis(l->a, k->loops.at[j]));
		count *= extent;
		if (count > PACK_MAX_GROWTH * (tensor_count(raw) + 64)) {
			l->why = "a packed constant would repeat itself too often";
			return flat;
		}
	}
	memcpy(k->index, index, (size_t)raw->ndim * sizeof(*index));
	k->raw = raw;
	k->packed = l->buffers[i];
	k->input = k->packed->arg;
	const struct pack *before = program_pack(l->p, k->input);

	for (int d = 0; before && d < raw->ndim; d++)
		if (!expr_equal(before->index[d], index[d]))
			l->why = "a packed constant is read at two places";
	if (before)
		return flat;
	k->packed->tensor.ndim = 1;
	k->packed->tensor.shape[0] = count;
	vec_push(l->a, &l->p->packs, k);
	return flat;
}

/* A load of a stage's tensor as a load of its buffer. */
static const struct expr *lower_load(struct arena *a, const struct expr *e, struct load_access *c)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	int stage = state_stage_of(c->l->s, e->tensor);
	const struct stage *g = c->l->s->stages.at[stage];
	struct buffer *b = c->l->buffers[stage];

	for (int i = 0; i < e->tensor->ndim; i++) {
		index[i] = expr_rewrite(a, e->index[i], lower_node, c);
		if (g->place == PLACE_AT)
			index[i] = expr_binary(a, EXPR_SUB, index[i], g->base[i]);
		index[i] = expr_simplify(a, index[i]);
	}
	if (g->packed)
		index[0] = packed_load(c->l, stage, c->reader, index);
	if (g->packed && b->tensor.ndim != 1)
		return expr_const(a, e->dtype, 0);	/* refused: l->why is set */
	return expr_load(a, &b->tensor, index);
}

const struct expr *lower_node(struct arena *a, const struct expr *e, void *user)
{
	struct load_access *c = user;

	switch (e->kind) {
	case EXPR_AXIS:
		for (int i = 0; i < c->roots->n; i++)
			if (c->roots->from[i] == e->axis)
				return c->roots->to[i];
		return NULL;
	case EXPR_FLOAT:
		return narrow_widened(a, e);
	case EXPR_LOAD:
		return narrow_widened(a, lower_load(a, e, c));
	case EXPR_CAST:
		return narrow_widened(a, expr_cast(a, e->dtype,
						   expr_rewrite(a, e->arg[0], lower_node, c)));
	default:
		return NULL;
	}
}
