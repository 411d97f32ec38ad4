/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/refresh.c - derives extents, values and regions from a state's structure, where a step
 * has changed what they depend on.
 *
 * Consumers come before their producers: what a loop of a consumer reads at one turn is what an
 * attached producer has to compute there. */
#include "schedule/refresh.h"

#include "base/integer.h"
#include "te/index/index.h"

/* --- iters: extents from the roots down, values from the leaves up */

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
		inner->extent = r->size < parent->extent ? r->size : parent->extent;
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

	if (r->shifts && parent->extent % inner->extent != 0) {
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

/* --- regions: what one turn of the loop that a stage is attached to needs of it */

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

static bool derive_region(struct state *s, int stage)
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

/* What the region of an attached stage depends on: the loops around it, the values of readers. */
static bool needs_region(const struct state *s, int stage)
{
	const struct stage *g = s->stages.at[stage];
	int consumers[64];
	int n;

	if (g->stale == STALE_REGION)
		return true;
	for (const struct stage *at = g; at->place == PLACE_AT;) {
		at = s->stages.at[at->at_stage];
		if (at->stale > STALE_NOTHING)
			return true;
	}
	n = state_consumers(s, stage, consumers, 64);
	for (int i = 0; i < n && i < 64; i++)
		if (s->stages.at[consumers[i]]->stale >= STALE_VALUES)
			return true;
	return n > 64;
}

static void cover_tensor(struct arena *a, struct stage *g)
{
	const struct expr *zero = expr_int(a, 0);

	for (int d = 0; d < g->op.tensor.ndim; d++) {
		g->part[d] = g->op.tensor.shape[d];
		g->base[d] = zero;
	}
}

static bool refresh_stage(struct state *s, int stage)
{
	struct stage *g = s->stages.at[stage];

	if (g->place == PLACE_AT && needs_region(s, stage)) {
		g->stale = STALE_REGION;
		if (!derive_region(s, stage))
			return false;
	} else if (g->stale == STALE_REGION) {
		cover_tensor(s->arena, g);
	}
	if (g->op.kind == OP_COMPUTE && g->stale >= STALE_VALUES) {
		derive_extents(g);
		derive_values(s->arena, g);
	}
	return true;
}

bool state_moved(const struct state *s)
{
	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->stale == STALE_ORDER || s->stages.at[i]->stale == STALE_REGION)
			return true;
	return false;
}

bool state_refresh(struct state *s)
{
	bool stale = false;

	for (int i = 0; i < s->stages.n; i++)
		stale |= s->stages.at[i]->stale > STALE_NOTHING;
	for (int i = s->order.n - 1; stale && i >= 0; i--)
		if (!refresh_stage(s, s->order.at[i]))
			return false;
	for (int i = 0; i < s->stages.n; i++)
		s->stages.at[i]->stale = STALE_NOTHING;
	return true;
}
