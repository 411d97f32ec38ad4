/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/writing.c - conditions of expressions, by the axes that they look at. */
#include "search/space/expression/writing.h"

#include "base/integer.h"
#include "schedule/lane_form.h"
#include "schedule/mask.h"
#include "te/index/index.h"

enum {
	MAX_PLACES = 64,	/* more than any transform has rows */
	CONDITIONS = 6,		/* statements around what is computed lane by lane, and of the same in whole vectors */
	/* Versions of a tile along its lanes in which these are computed one by one (docs/performance.md): at the first
	 * and the last vector of a row, where what is read has no mask; everywhere, where the condition is none: between
	 * them, and for a tap at the edge, too. In a row that is one vector half of these. */
	EDGE_VERSIONS = 2,
	ALL_VERSIONS = 4,
	MASKED = 2,	/* calls more of a vector under a mask; of a row's vectors the first and the last are */
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
	const struct state *s;
	const struct target *target;
	const struct axis *lanes;
	bool unmasked;	/* an element that lanes read, of no pack, is of a type without masks */
	int versions;
	bool masked;	/* lanes of a select are read under a mask */
	bool index;	/* their place is computed with: each by itself */
};

/* Packs have whole vectors. */
static bool is_packable(const struct state *s, const struct tensor *t)
{
	return stage_is_constant(s->stages.at[state_stage_of(s, t)]);
}

/* In how many versions select E has its first value lane by lane, where condition C is what is left of its own: of
 * alternatives one may hold for all lanes. */
static int versions_of(struct version_search *l, const struct expr *e, const struct expr *c)
{
	struct mask m;

	if (!expr_uses_axis(c, l->lanes))
		return 0;
	if (c->kind == EXPR_OR)
		return (int)most(versions_of(l, e, c->arg[0]), versions_of(l, e, c->arg[1]));
	if (mask_of_select(l->a, l->target, expr_select(l->a, c, e->arg[1], e->arg[2]), l->lanes, &m)) {
		l->masked = true;
		return 0;
	}
	return mask_of(l->a, c, l->lanes, &m) ? EDGE_VERSIONS : ALL_VERSIONS;
}

static bool find_by_lane(const struct expr *e, void *user)
{
	struct version_search *l = user;

	if (!expr_uses_axis(e, l->lanes))
		return false;
	if (e->kind == EXPR_LOAD)
		l->unmasked |= !mask_takes(e->tensor->dtype) && !is_packable(l->s, e->tensor);
	l->index |= e->kind == EXPR_CAST && !lane_form(e);
	if (e->kind == EXPR_SELECT)
		l->versions = (int)most(l->versions, versions_of(l, e, e->arg[0]));
	return l->versions < ALL_VERSIONS;
}

/* The axis that the lanes of reduction G run along; NULL: none. */
static const struct axis *lanes_of(const struct stage *g)
{
	for (int i = 0; i < g->leaves.n; i++) {
		int root = stage_root_of(g, g->leaves.at[i]);

		if (g->iters.at[g->leaves.at[i]].annotation == ANNOTATION_VECTOR && root >= 0 && root < g->op.tensor.ndim)
			return g->op.space[root];
	}
	return NULL;
}

static int lanes_for(const struct stage *g, const struct target *target)
{
	return target_lanes(target, dtype_bytes(dtype_arithmetic(g->op.tensor.dtype)));
}

/* What the body of G is in lanes; of no axis where it has none. */
static struct version_search search_versions(struct arena *a, const struct state *s, const struct stage *g,
					     const struct target *target)
{
	struct version_search l = { .a = a, .s = s, .target = target, .lanes = lanes_of(g) };

	if (l.lanes)
		expr_visit_once(g->op.body, find_by_lane, &l);
	return l;
}

/* Statements of a term of reduction G for each vector. */
static int term_of(struct arena *a, const struct state *s, const struct stage *g, const struct target *target)
{
	struct version_search l = search_versions(a, s, g, target);

	if (!l.lanes)
		return 1;
	int lanes = lanes_for(g, target);
	bool one = l.lanes->hi <= lanes;

	if (l.versions > 0)
		return (one ? l.versions / 2 : l.versions) * ((int)least(l.lanes->hi, lanes) + CONDITIONS);
	/* A row that is one vector is computed as one: registers have room. So has a whole last one. */
	return 1 + (l.unmasked && !one ? (int)(l.lanes->hi % lanes) : 0) + (l.masked ? one ? MASKED : MASKED / 2 : 0);
}

/* Statements that store a vector of READER, what it reads being computed. */
static int result_of(struct arena *a, const struct state *s, const struct stage *reader, const struct target *target)
{
	struct version_search l = search_versions(a, s, reader, target);

	return l.versions > 0 || l.index ? (int)least(l.lanes->hi, lanes_for(reader, target)) : 1;
}

/* --- */

/* Adds what reduction G has to W of stage READER, which it is inside of. */
static void add_reduction(struct arena *a, struct writing *w, const struct state *s, const struct stage *g,
			  const struct target *target)
{
	const struct stage *reader = s->stages.at[g->at_stage];
	const struct stage_read *read = stage_read_of(reader, g->tensor);

	w->term = (int)most(w->term, term_of(a, s, g, target));
	w->result = result_of(a, s, reader, target);
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
			add_reduction(a, &w[g->at_stage], s, g, target);
	}
	return w;
}

int64_t writing_kinds(int64_t extent, int64_t size, int cuts)
{
	return least(ceil_div(extent, size), cuts + 1);
}
