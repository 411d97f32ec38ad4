/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/writing.c - conditions of expressions, by the axes that they look at. */
#include "search/space/writing.h"

#include "base/integer.h"
#include "schedule/mask.h"
#include "te/index/index.h"

enum {
	MAX_PLACES = 64,	/* more than any transform has rows */
	/* Versions of a tile, along its lanes, in which these are computed one by one (docs/performance.md). */
	TAIL_VERSIONS = 1,	/* at the last, where what is read has no mask */
	EDGE_VERSIONS = 2,	/* the same at the first, too */
	ALL_VERSIONS = 4,	/* everywhere, where the condition is none: between them, and for a tap at the edge, too */
};

static bool count_comparison(const struct expr *e, void *user)
{
	*(int *)user += e->kind == EXPR_LT || e->kind == EXPR_LE;
	return e->compares;
}

/* --- along a dim */

struct place_search {
	struct arena *a;
	const struct axis *axis;
	int64_t at[MAX_PLACES];
	int n;
};

static void add_place(struct place_search *p, int64_t at)
{
	bool inside = p->axis->lo < at && at < p->axis->hi;

	for (int i = 0; i < p->n; i++)
		inside &= p->at[i] != at;
	if (inside && p->n < MAX_PLACES)
		p->at[p->n++] = at;
}

/* The first value of the axis behind the place where E, a comparison of it with a number, changes. */
static bool find_place(const struct expr *e, void *user)
{
	struct place_search *p = user;
	struct linear l;

	if (!e->compares || !expr_uses_axis(e, p->axis))
		return false;
	if ((e->kind != EXPR_LT && e->kind != EXPR_LE) || e->arg[0]->dtype != DTYPE_I64)
		return true;
	if (!linear_from(p->a, e->arg[1], &l) || !linear_add_expr(p->a, &l, e->arg[0], -1) || l.n != 1)
		return false;
	int64_t coef = linear_coef(&l, p->axis), rest = l.constant - (e->kind == EXPR_LT);

	if (coef > 0)	/* coef * axis + rest >= 0 */
		add_place(p, ceil_div(-rest, coef));
	else if (coef < 0)
		add_place(p, floor_div(rest, -coef) + 1);
	return false;
}

static int cuts_along(struct arena *a, const struct op *op, int d)
{
	struct place_search p = { .a = a, .axis = op->space[d] };

	expr_visit_once(op->body, find_place, &p);
	return p.n;
}

/* --- lanes */

struct version_search {
	struct arena *a;
	const struct target *target;
	const struct axis *lanes;
	bool ragged;	/* the last vector along these is not whole */
	int by_lane;
};

static bool find_by_lane(const struct expr *e, void *user)
{
	struct version_search *l = user;
	struct mask m;

	if (!expr_uses_axis(e, l->lanes))
		return false;
	if (e->kind == EXPR_LOAD && l->ragged && !mask_takes(e->tensor->dtype))
		l->by_lane = (int)most(l->by_lane, TAIL_VERSIONS);
	if (e->kind == EXPR_SELECT && expr_uses_axis(e->arg[0], l->lanes) &&
	    !mask_of_select(l->a, l->target, e, l->lanes, &m))
		l->by_lane = (int)most(l->by_lane, mask_of(l->a, e->arg[0], l->lanes, &m) ? EDGE_VERSIONS : ALL_VERSIONS);
	return l->by_lane < ALL_VERSIONS;
}

/* A row shorter than a vector is computed as one: registers have room. */
static bool is_ragged(int64_t extent, int64_t lanes)
{
	return extent > lanes && extent % lanes != 0;
}

/* In how many versions the lanes of reduction G are computed one by one. */
static int versions_by_lane(struct arena *a, const struct stage *g, const struct target *target)
{
	struct version_search l = { .a = a, .target = target };

	for (int i = 0; i < g->leaves.n; i++) {
		int leaf = g->leaves.at[i];
		int root = stage_root_of(g, leaf);

		if (g->iters.at[leaf].annotation == ANNOTATION_VECTOR && root >= 0 && root < g->op.tensor.ndim)
			l.lanes = g->op.space[root];
	}
	if (l.lanes)
		l.ragged = is_ragged(l.lanes->hi, target_lanes(target, dtype_bytes(dtype_arithmetic(g->op.tensor.dtype))));
	if (l.lanes)
		expr_visit_once(g->op.body, find_by_lane, &l);
	return l.by_lane;
}

/* --- */

/* Adds what reduction G has to W of stage READER, which it is inside of. */
static void add_reduction(struct arena *a, struct writing *w, const struct stage *reader, const struct stage *g,
			  const struct target *target)
{
	const struct stage_read *read = stage_read_of(reader, g->tensor);

	w->by_lane = (int)most(w->by_lane, versions_by_lane(a, g, target));
	for (int d = 0; read && d < g->op.tensor.ndim; d++)
		for (int i = 0; i < reader->op.tensor.ndim; i++)
			if (read->index[d].n == 1 && expr_uses_axis(read->index[d].at[0], reader->op.space[i]))
				w->cuts[i] += cuts_along(a, &g->op, d);
}

const struct writing *writing_of(struct arena *a, const struct state *s, const struct target *target)
{
	struct writing *w = arena_many(a, struct writing, s->stages.n);

	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		if (!stage_computes(g))
			continue;
		expr_visit(g->op.body, count_comparison, &w[i].comparisons);
		if (g->place == PLACE_AT && op_is_reduction(&g->op))
			add_reduction(a, &w[g->at_stage], s->stages.at[g->at_stage], g, target);
	}
	return w;
}

int64_t writing_kinds(int64_t extent, int64_t size, int cuts)
{
	return least(ceil_div(extent, size), cuts + 1);
}
