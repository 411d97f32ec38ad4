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
	uint32_t bits;		/* of AXES */
};

static void fix(struct fixed *f, const struct axis *axis)
{
	vec_push(f->arena, &f->axes, axis);
	f->bits |= axis_bit(axis);
}

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

	if (e->axes & ~f->bits)
		return false;
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
			fix(&f, g->iters.at[g->leaves.at[i]].axis);
		at = g->at_iter;
		target = g->place == PLACE_AT ? g->at_stage : -1;
	}
	for (int i = s->order.n - 1; i >= 0; i--) {	/* lets of any of these stages */
		const struct stage *g = s->stages.at[s->order.at[i]];

		for (int j = 0; j < g->lets.n; j++)
			if (uses_only_fixed(&f, g->lets.at[j].value))
				fix(&f, g->lets.at[j].axis);
	}
	return f;
}

/* E = fixed + something in [lo, hi]. */
struct span {
	struct linear fixed;
	struct range free;
	bool any_fixed;
};

static bool span_of(const struct fixed *f, const struct expr *e, struct span *out);

/* Adds FACTOR times E, the least of a number and of what is fixed in part: it moves no further than that does. */
static bool add_least(const struct fixed *f, const struct expr *e, int64_t factor, struct span *out)
{
	struct span own;	/* no initializer: it is large */
	int64_t limit, moves;

	if (e->kind != EXPR_MIN || factor < 0 || !expr_is_int(e->arg[1], &limit) || !span_of(f, e->arg[0], &own) ||
	    !own.any_fixed || __builtin_mul_overflow(own.free.hi - own.free.lo, factor, &moves))
		return false;
	own.fixed.constant += own.free.lo;
	const struct expr *first = expr_binary(f->arena, EXPR_MIN, linear_expr(f->arena, &own.fixed), e->arg[1]);

	out->free = range_add(out->free, (struct range){ 0, moves });
	out->any_fixed = true;
	return linear_add_expr(f->arena, &out->fixed, first, factor);
}

/* The same of a sum. */
static bool span_of_sum(const struct fixed *f, const struct linear *l, struct span *out)
{
	out->fixed.constant = l->constant;	/* no initializer: there is room for many terms */
	out->fixed.n = 0;
	out->free = (struct range){ 0, 0 };
	out->any_fixed = false;
	for (int i = 0; i < l->n; i++) {
		const struct expr *atom = l->term[i].atom;

		if (uses_only_fixed(f, atom)) {
			out->any_fixed = true;
			if (!linear_add_expr(f->arena, &out->fixed, atom, l->term[i].coef))
				return false;
		} else if (!add_least(f, atom, l->term[i].coef, out)) {
			out->free = range_add(out->free, term_range(l, i));
		}
	}
	return true;
}

static bool span_of(const struct fixed *f, const struct expr *e, struct span *out)
{
	struct linear l;

	return linear_from(f->arena, e, &l) && span_of_sum(f, &l, out);
}

/* How far the root of iter I of G goes in one turn of it; 0: not always as far. */
static int64_t stride_of(const struct stage *g, int iter)
{
	int64_t stride = 1;

	for (int i = g->relations.n - 1; i >= 0; i--) {
		const struct relation *r = &g->relations.at[i];

		if (r->kind == RELATION_FUSE && r->parent == iter)
			return 0;
		if (r->kind == RELATION_FUSE || (r->outer != iter && r->inner != iter))
			continue;
		if (r->outer == iter)
			stride *= r->tiles == BORDER_OPEN ? g->iters.at[r->inner].extent : 0;
		iter = r->parent;
	}
	return stride;
}

/* What is not needed of root iter I of consumer G, all of whose region is, but for that. */
static struct surplus surplus_of(const struct fixed *f, const struct stage *g, int i)
{
	for (int j = 0; j < g->relations.n; j++) {
		const struct relation *r = &g->relations.at[j];
		struct span inner;

		if (!stage_has_short_tiles(g, r) || stage_root_of(g, r->parent) != i ||
		    !uses_only_fixed(f, g->iters.at[r->outer].value) ||
		    !span_of(f, g->iters.at[r->inner].value, &inner) || inner.any_fixed)
			continue;
		return (struct surplus){ stride_of(g, r->inner), stage_is_long(f->arena, g, r) };
	}
	return (struct surplus){ 0 };
}

/* The same where all of I is needed that G computes. */
static struct surplus surplus_of_part(const struct fixed *f, const struct stage *g, int i)
{
	bool known = i < g->op.tensor.ndim && g->surplus[i].n > 0 && uses_only_fixed(f, g->surplus[i].unless);

	return known ? g->surplus[i] : (struct surplus){ 0 };
}

/* Root iter I of consumer G as a fixed part and a free one, the latter the new axis FREE; SURPLUS of it is not needed. */
static const struct expr *split_root(const struct fixed *f, const struct stage *g, int i, const struct axis **free,
				     struct surplus *surplus)
{
	const struct iter *it = &g->iters.at[i];
	struct span own, base;

	if (!span_of(f, it->value, &own))
		return NULL;
	*surplus = own.any_fixed ? surplus_of(f, g, i) : surplus_of_part(f, g, i);
	if (!own.any_fixed)
		own.free = (struct range){ 0, it->extent - 1 };
	if (own.free.hi - own.free.lo > it->extent - 1) {
		own.free.hi = own.free.lo + it->extent - 1;
		surplus->n = 0;
	}
	if (!span_of(f, i < g->op.tensor.ndim ? g->base[i] : expr_int(f->arena, 0), &base))
		return NULL;
	struct axis *z = arena_one(f->arena, struct axis);

	*free = z;
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
	struct surplus surplus[TENSOR_MAX_DIMS];
};

static void cover_everything(struct region *r, int dim)
{
	r->base[dim].constant = 0;
	r->base[dim].n = 0;
	r->part[dim] = r->tensor->shape[dim];
	r->surplus[dim].n = 0;
}

static bool surplus_equal(const struct surplus *x, const struct surplus *y)
{
	return x->n == y->n && (x->n == 0 || expr_equal(x->unless, y->unless));
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
	const struct axis *free[2 * TENSOR_MAX_DIMS];
	struct surplus surplus[2 * TENSOR_MAX_DIMS];
	int n;
};

/* Of those that READ may go by. */
static bool split_roots(const struct fixed *f, const struct stage *g, const struct stage_read *read, struct root_parts *out)
{
	int space = g->op.tensor.ndim;
	uint32_t axes = 0;

	for (int d = 0; d < read->tensor->ndim; d++)
		for (int i = 0; i < read->index[d].n; i++)
			axes |= read->index[d].at[i]->axes;
	out->n = 0;
	for (int i = 0; i < space + g->op.nreduce; i++) {
		const struct axis *root = i < space ? g->op.space[i] : g->op.reduce[i - space];
		int n = out->n;

		if (!(axes & axis_bit(root)))
			continue;
		out->from[n] = root;
		out->to[n] = split_root(f, g, i, &out->free[n], &out->surplus[n]);
		if (!out->to[out->n++])
			return false;
	}
	return true;
}

/* What INDEX, by the axes FREE, leaves of its end for that of one of them. */
static struct surplus surplus_of_index(const struct root_parts *roots, const struct linear *index)
{
	struct surplus surplus = { 0 };

	for (int i = 0; i < roots->n; i++) {
		int64_t n = roots->surplus[i].n > 0 ? roots->surplus[i].n * linear_coef(index, roots->free[i]) : 0;

		if (n > 0 && surplus.n > 0)
			return (struct surplus){ 0 };
		if (n > 0)
			surplus = (struct surplus){ n, roots->surplus[i].unless };
	}
	return surplus;
}

/* Widens dim DIM to what INDEX takes. */
static bool add_index(struct region *r, int dim, const struct root_parts *roots, const struct expr *index)
{
	struct linear l;
	struct span span;

	index = expr_substitute(r->fixed->arena, index, roots->from, roots->to, roots->n);
	if (!linear_from(r->fixed->arena, index, &l) || !span_of_sum(r->fixed, &l, &span))
		return false;
	struct surplus surplus = surplus_of_index(roots, &l);
	span.fixed.constant += span.free.lo;
	int64_t part = span.free.hi - span.free.lo + 1;

	if (r->part[dim] > 0) {
		unite(r, dim, &span.fixed, part);
		if (!surplus_equal(&r->surplus[dim], &surplus))
			r->surplus[dim].n = 0;
	} else {
		r->base[dim] = span.fixed;
		r->part[dim] = part;
		r->surplus[dim] = surplus;
	}
	return true;
}

static bool add_consumer(struct region *r, const struct stage *g)
{
	const struct stage_read *read = stage_read_of(g, r->tensor);
	struct root_parts roots;	/* no initializer: it is large */

	if (!split_roots(r->fixed, g, read, &roots))
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
		g->surplus[i] = r.surplus[i];
	}
	return true;
}
