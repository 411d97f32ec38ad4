/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/packing/reading_order.c - constants in the order in which they are read, for the pass packs. */
#include "schedule/pass/packing/fill_pack.h"
#include "schedule/pass/packing/stored.h"
#include "te/index/index.h"

/* Beyond this a packed constant repeats too much of itself to be worth its memory. */
enum { PACK_MAX_GROWTH = 4 };

/* How many values loop or let N has. */
static int64_t extent_of(const struct nest *n)
{
	return n->axis->hi - n->axis->lo;
}

static bool moves(const struct way_read *r, const struct axis *axis)
{
	for (int d = 0; d < r->buffer->tensor.ndim && axis->hi - axis->lo > 1; d++)
		if (expr_uses_axis(r->index[d], axis))
			return true;
	return false;
}

/* Have the loops and lets that let N follows from fewer turns than it might have values, as where a tile is moved back? */
static bool has_fewer_turns(const struct way_read *r, const struct nest *n)
{
	int64_t turns = 1;

	for (int i = 0; i < r->open.n && turns < extent_of(n); i++)
		turns *= expr_uses_axis(n->value, r->open.at[i]->axis) ? extent_of(r->open.at[i]) : 1;
	return turns < extent_of(n);
}

/* The index by such loops in the place of lets. */
static void follow_lets(struct way_read *r)
{
	for (int i = r->open.n - 1; i >= 0; i--) {
		const struct nest *n = r->open.at[i];
		const struct expr **index;

		if (n->kind != NEST_LET || !moves(r, n->axis) || !has_fewer_turns(r, n))
			continue;
		index = arena_many(r->a, const struct expr *, r->buffer->tensor.ndim);
		for (int d = 0; d < r->buffer->tensor.ndim; d++)
			index[d] = expr_simplify_with(r->a, r->index[d], &n->axis, &n->value, 1);
		r->index = index;
	}
}

/* Of AXIS, all that an index looks at: a quotient or remainder of it alone; NULL: none, or it is not all. */
struct seen_search {
	const struct axis *axis;
	const struct expr *part;
	bool other;	/* the axis is elsewhere, too */
};

static bool find_stranger(const struct expr *e, void *user)
{
	struct seen_search *p = user;

	p->other |= e->kind == EXPR_LOAD || (e->kind == EXPR_AXIS && e->axis != p->axis);
	return !p->other;
}

static bool is_of_axis_alone(const struct expr *e, const struct axis *axis)
{
	struct seen_search p = { .axis = axis };

	expr_visit(e, find_stranger, &p);
	return !p.other;
}

static bool find_part(const struct expr *e, void *user)
{
	struct seen_search *p = user;

	if (!expr_uses_axis(e, p->axis))
		return false;
	bool ends = (e->kind == EXPR_DIV || e->kind == EXPR_MOD) && is_of_axis_alone(e, p->axis);

	if (ends && !p->part)
		p->part = e;
	p->other |= e->kind == EXPR_AXIS || (ends && !expr_equal(e, p->part));
	return !ends;
}

/* The values that AXIS has for the index, as a variable of their own, where these are fewer than its turns: a phase,
 * which each turn reads again that has the same. Lanes stay side by side. AXIS itself elsewhere. */
static const struct axis *seen_of(struct way_read *r, const struct axis *axis)
{
	struct seen_search p = { .axis = axis };

	for (int d = 0; d < r->buffer->tensor.ndim && axis != r->lanes && axis != r->group; d++)
		expr_visit(r->index[d], find_part, &p);
	struct range values = p.part && !p.other ? expr_range(p.part) : (struct range){ axis->lo, axis->hi - 1 };

	if (values.hi - values.lo + 1 >= axis->hi - axis->lo)
		return axis;
	struct axis *seen = arena_one(r->a, struct axis);

	*seen = (struct axis){ .name = axis->name, .lo = values.lo, .hi = values.hi + 1 };
	vec_push(r->a, &r->parts, (struct part_read){ p.part, seen });
	return seen;
}

/* The loop of AXIS moves the element, too. Turns beyond any buffer are not told apart. */
static void add_loop(struct way_read *r, const struct axis *axis)
{
	axis = seen_of(r, axis);
	int64_t extent = axis->hi - axis->lo;
	const struct expr *turn = expr_add(r->a, expr_axis(r->a, axis), expr_int(r->a, -axis->lo));

	vec_push(r->a, &r->loops, axis);
	r->place = expr_add(r->a, expr_mul(r->a, r->place, extent), turn);
	r->turns = r->turns > INDEX_INFINITY / extent ? INDEX_INFINITY : r->turns * extent;
}

static bool note_load(const struct expr *e, void *user)
{
	struct way_read *r = user;

	if (e->kind != EXPR_LOAD || e->tensor != &r->buffer->tensor)
		return e->loads;
	for (int d = 0; r->first && d < e->tensor->ndim; d++)
		r->differs |= !expr_equal(r->first[d], e->index[d]);
	if (r->first)
		return true;
	r->first = r->index = e->index;
	follow_lets(r);
	for (int i = 0; i < r->open.n; i++)
		if (r->open.at[i]->axis != r->group && moves(r, r->open.at[i]->axis))
			add_loop(r, r->open.at[i]->axis);
	if (r->group && moves(r, r->group))
		add_loop(r, r->group);
	return true;
}

static void find_loads(struct way_read *r, const struct nest *n)
{
	for (; n; n = n->next) {
		if (n->value)
			expr_visit_once(n->value, note_load, r);
		const struct axis *group = r->group, *lanes = r->lanes;

		if (n->axis)
			vec_push(r->a, &r->open, n);
		r->group = n->intrinsic ? n->axis : group;
		r->lanes = n->annotation == ANNOTATION_VECTOR ? n->axis : lanes;
		find_loads(r, n->body);
		find_loads(r, n->other);
		r->group = group;
		r->lanes = lanes;
		r->open.n -= n->axis != NULL;
	}
}

/* --- */

/* The buffer in which each turn has an element of its own. */
static struct buffer *new_stream(const struct way_read *r)
{
	struct buffer *to = arena_memdup(r->a, r->buffer, sizeof(*to));

	to->tensor.name = arena_printf(r->a, "%s.packed", r->buffer->tensor.name);
	to->tensor.ndim = 1;
	to->tensor.shape[0] = r->turns;
	return to;
}

static const char *why_not(const struct way_read *r)
{
	if (r->differs)
		return "a packed constant is read at two places";
	for (int d = 0; d < r->buffer->tensor.ndim; d++)
		if (r->index[d]->loads)
			return "a packed constant is read where data says";
	return r->turns > PACK_MAX_GROWTH * (tensor_count(&r->buffer->tensor) + 64)
		       ? "a packed constant would repeat itself too often"
		       : NULL;
}

static const struct expr *part_node(struct arena *a, const struct expr *e, void *user)
{
	const struct way_read *r = user;

	for (int i = 0; i < r->parts.n; i++)
		if (expr_equal(e, r->parts.at[i].part))
			return expr_axis(a, r->parts.at[i].seen);
	return NULL;
}

/* The index by what is seen of axes; the place of what the program reads, by the axes themselves. */
static const struct expr *settle_parts(struct way_read *r)
{
	const struct axis **from = arena_many(r->a, const struct axis *, r->parts.n);
	const struct expr **to = arena_many(r->a, const struct expr *, r->parts.n);
	const struct expr **index = arena_many(r->a, const struct expr *, r->buffer->tensor.ndim);

	for (int d = 0; d < r->buffer->tensor.ndim; d++)
		index[d] = r->parts.n ? expr_rewrite(r->a, r->index[d], part_node, r) : r->index[d];
	for (int i = 0; i < r->parts.n; i++) {
		from[i] = r->parts.at[i].seen;
		to[i] = r->parts.at[i].part;
	}
	r->index = index;
	return expr_simplify_with(r->a, r->place, from, to, r->parts.n);
}

bool store_as_read(struct program *p, int i, struct storing *s, const char **why)
{
	struct buffer *from = p->args.at[i];
	struct way_read r = { .a = p->arena, .buffer = from, .turns = 1,
			      .place = expr_int(p->arena, 0) };

	from->by_reader = false;
	find_loads(&r, p->body);
	if (!r.first)
		return true;
	if (why_not(&r)) {
		*why = why_not(&r);
		return false;
	}
	struct pack *k = program_add_pack(p, i);

	k->packed = p->args.at[i] = new_stream(&r);
	r.place = expr_simplify(r.a, r.place);
	vec_push(r.a, &s->known, (struct stored_as){ from, k->packed, settle_parts(&r) });
	fill_pack(k, &r);
	return true;
}
