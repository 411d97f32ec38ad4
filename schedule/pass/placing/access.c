/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/placing/access.c - what a stage reads: loads of stages as loads of their buffers, axes by their
 * values. */
#include "schedule/narrow.h"
#include "schedule/pass/placing/place.h"
#include "te/index/index.h"

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

static const struct expr *lower_index(struct arena *a, const struct expr *e, int stage, int dim,
				      struct load_access *c)
{
	const struct stage *g = c->l->s->stages.at[stage];

	for (int i = 0; i < c->known.n; i++) {
		const struct lowered_index *x = &c->known.at[i];

		if (x->stage == stage && x->dim == dim && expr_equal(x->from, e))
			return x->to;
	}
	const struct expr *to = expr_rewrite(a, e, lower_node, c);

	if (g->place == PLACE_AT)
		to = expr_binary(a, EXPR_SUB, to, g->base[dim]);
	to = expr_simplify(a, to);
	vec_push(a, &c->known, (struct lowered_index){ stage, dim, e, to });
	return to;
}

/* A load of a stage's tensor as a load of its buffer. */
static const struct expr *lower_load(struct arena *a, const struct expr *e, struct load_access *c)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	int stage = state_stage_of(c->l->s, e->tensor);
	struct buffer *b = c->l->buffers[stage];

	for (int i = 0; i < e->tensor->ndim; i++)
		index[i] = lower_index(a, e->index[i], stage, i, c);
	return expr_load(a, &b->tensor, index);
}

/* A comparison of indices, simplified at once: the rest of a value is simple then as it is. */
static const struct expr *lower_comparison(struct arena *a, const struct expr *e, struct load_access *c)
{
	return expr_simplify(a, expr_binary(a, e->kind, expr_rewrite(a, e->arg[0], lower_node, c),
					    expr_rewrite(a, e->arg[1], lower_node, c)));
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
	case EXPR_LT:
	case EXPR_LE:
	case EXPR_EQ:
	case EXPR_NE:
		return e->arg[0]->dtype == DTYPE_I64 ? lower_comparison(a, e, c) : NULL;
	default:
		return NULL;
	}
}
