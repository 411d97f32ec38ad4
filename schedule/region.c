/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/region.c - what one turn of the loop that a stage is attached to needs of it.
 *
 * A region is a box: of each dim a first value, by the axes that are fixed during the turn, and how many there are. */
#include "schedule/region.h"

#include "te/index/index.h"

struct axis_vec VEC(const struct axis *);

/* The axes with one value during a turn of loop AT of stage TARGET. */
struct fixed {
	struct arena *arena;
	struct axis_vec axes;
};

static bool is_fixed(const struct fixed *f, const struct axis *axis)
{
	for (int i = 0; i < f->axes.n; i++)
		if (f->axes.at[i] == axis)
			return true;
	return false;
}

struct fixed_search {
	const struct fixed *fixed;
	bool all;
};

static bool search_fixed(const struct expr *e, void *user)
{
	struct fixed_search *s = user;

	if (e->kind == EXPR_AXIS)
		s->all &= is_fixed(s->fixed, e->axis);
	return s->all;
}

static bool uses_only_fixed(const struct fixed *f, const struct expr *e)
{
	struct fixed_search s = { f, true };

	if (e->kind == EXPR_AXIS)
		return is_fixed(f, e->axis);
	expr_visit(e, search_fixed, &s);
	return s.all;
}

static struct fixed fixed_axes(const struct state *s, int target, int at)
{
	struct fixed f = { .arena = s->arena };

	while (target >= 0) {
		const struct stage *g = s->stages.at[target];

		for (int i = 0; i <= stage_leaf(g, at); i++)
			vec_push(s->arena, &f.axes, g->iters.at[g->leaves.at[i]].axis);
		at = g->at_iter;
		target = g->place == PLACE_AT ? g->at_stage : -1;
	}
	for (int i = s->order.n - 1; i >= 0; i--) {	/* lets of any of these stages */
		const struct stage *g = s->stages.at[s->order.at[i]];

		for (int j = 0; j < g->lets.n; j++)
			if (uses_only_fixed(&f, g->lets.at[j].value))
				vec_push(s->arena, &f.axes, g->lets.at[j].axis);
	}
	return f;
}

/* E = fixed + something in [lo, hi]. */
struct span {
	struct linear fixed;
	struct range free;
	bool any_fixed;
};

static bool span_of(const struct fixed *f, const struct expr *e, struct span *out)
{
	struct linear l;

	out->fixed.constant = 0;	/* no initializer: there is room for many terms */
	out->fixed.n = 0;
	out->free = (struct range){ 0, 0 };
	out->any_fixed = false;
	if (!linear_from(f->arena, e, &l))
		return false;
	out->fixed.constant = l.constant;
	for (int i = 0; i < l.n; i++) {
		if (uses_only_fixed(f, l.term[i].atom)) {
			out->fixed.term[out->fixed.n++] = l.term[i];
			out->any_fixed = true;
		} else {
			out->free = range_add(out->free, term_range(&l, i));
		}
	}
	return true;
}

/* Root iter I of consumer G as a fixed part and a free one, the latter a new axis. */
static const struct expr *split_root(const struct fixed *f, const struct stage *g, int i)
{
	const struct iter *it = &g->iters.at[i];
	struct span own, base;

	if (!span_of(f, it->value, &own))
		return NULL;
	if (!own.any_fixed)
		own.free = (struct range){ 0, it->extent - 1 };
	if (own.free.hi - own.free.lo > it->extent - 1)
		own.free.hi = own.free.lo + it->extent - 1;
	if (!span_of(f, i < g->op.tensor.ndim ? g->base[i] : expr_int(f->arena, 0), &base))
		return NULL;
	struct axis *z = arena_one(f->arena, struct axis);

	z->name = it->name;
	z->lo = own.free.lo + base.free.lo;
	z->hi = own.free.hi + base.free.hi + 1;
	const struct expr *fixed = expr_add(f->arena, linear_expr(f->arena, &own.fixed),
					    linear_expr(f->arena, &base.fixed));

	return expr_add(f->arena, fixed, expr_axis(f->arena, z));
}

/* Of an attached stage, in the union over its readers so far. */
struct region {
	const struct fixed *fixed;
	const struct tensor *tensor;
	struct linear base[TENSOR_MAX_DIMS];
	int64_t part[TENSOR_MAX_DIMS];	/* 0: nothing yet */
};

static void cover_everything(struct region *r, int dim)
{
	r->base[dim].constant = 0;
	r->base[dim].n = 0;
	r->part[dim] = r->tensor->shape[dim];
}

/* Widens dim DIM of the region to what starts at BASE and has PART values. */
static void unite(struct region *r, int dim, const struct linear *base, int64_t part)
{
	struct linear diff = { .n = 0 };

	if (!linear_add(&diff, base, 1) || !linear_add(&diff, &r->base[dim], -1) || diff.n > 0) {
		cover_everything(r, dim);
		return;
	}
	int64_t end = r->part[dim];

	if (diff.constant + part > end)
		end = diff.constant + part;
	if (diff.constant < 0) {
		r->base[dim] = *base;
		end -= diff.constant;
	}
	r->part[dim] = end;
}

/* The axes of a consumer and what they are in its turns. */
struct root_parts {
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
	int n;
};

static bool split_roots(const struct fixed *f, const struct stage *g, struct root_parts *out)
{
	int space = g->op.tensor.ndim;

	out->n = 0;
	for (int i = 0; i < space + g->op.nreduce; i++) {
		out->from[out->n] = i < space ? g->op.space[i] : g->op.reduce[i - space];
		out->to[out->n] = split_root(f, g, i);
		if (!out->to[out->n++])
			return false;
	}
	return true;
}

/* Widens dim DIM to what INDEX takes. */
static bool add_index(struct region *r, int dim, const struct root_parts *roots, const struct expr *index)
{
	struct span span;

	if (!span_of(r->fixed, expr_substitute(r->fixed->arena, index, roots->from, roots->to, roots->n), &span))
		return false;
	span.fixed.constant += span.free.lo;
	int64_t part = span.free.hi - span.free.lo + 1;

	if (r->part[dim] > 0) {
		unite(r, dim, &span.fixed, part);
	} else {
		r->base[dim] = span.fixed;
		r->part[dim] = part;
	}
	return true;
}

static bool add_consumer(struct region *r, const struct stage *g)
{
	const struct stage_read *read = stage_read_of(g, r->tensor);
	struct root_parts roots;	/* no initializer: it is large */

	if (!split_roots(r->fixed, g, &roots))
		return false;
	for (int d = 0; d < r->tensor->ndim; d++)
		for (int i = 0; i < read->index[d].n; i++)
			if (!add_index(r, d, &roots, read->index[d].at[i]))
				return false;
	return true;
}

bool region_derive(struct state *s, int stage)
{
	struct stage *g = s->stages.at[stage];
	struct fixed fixed = fixed_axes(s, g->at_stage, g->at_iter);
	struct region r;	/* no initializer: it is large */
	int consumers[64];
	int n = state_consumers(s, stage, consumers, 64);

	r.fixed = &fixed;
	r.tensor = g->tensor;
	memset(r.part, 0, sizeof(r.part));
	for (int i = 0; i < n && i < 64; i++)
		if (!add_consumer(&r, s->stages.at[consumers[i]]))
			return false;
	if (n == 0)
		return false;
	for (int i = 0; i < g->op.tensor.ndim; i++) {
		if (r.part[i] >= g->op.tensor.shape[i])
			cover_everything(&r, i);
		g->part[i] = r.part[i];
		g->base[i] = linear_expr(s->arena, &r.base[i]);
	}
	return true;
}
