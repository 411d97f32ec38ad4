/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/reading_order.c - constants in the order in which they are read, for the pass packs. */
#include "schedule/pass/fill_pack.h"
#include "schedule/pass/stored.h"
#include "te/index/index.h"

/* Beyond this a packed constant repeats too much of itself to be worth its memory. */
enum { PACK_MAX_GROWTH = 4 };

static bool moves(const struct way_read *r, const struct axis *axis)
{
	for (int d = 0; d < r->buffer->tensor.ndim && axis->hi - axis->lo > 1; d++)
		if (expr_uses_axis(r->index[d], axis))
			return true;
	return false;
}

/* The loop of AXIS moves the element, too. Turns beyond any buffer are not told apart. */
static void add_loop(struct way_read *r, const struct axis *axis)
{
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
	for (int d = 0; r->index && d < e->tensor->ndim; d++)
		r->differs |= !expr_equal(r->index[d], e->index[d]);
	if (r->index)
		return true;
	r->index = e->index;
	for (int i = 0; i < r->open.n; i++)
		if (r->open.at[i] != r->group && moves(r, r->open.at[i]))
			add_loop(r, r->open.at[i]);
	if (r->group && moves(r, r->group))
		add_loop(r, r->group);
	return true;
}

static void find_loads(struct way_read *r, const struct nest *n)
{
	for (; n; n = n->next) {
		if (n->value)
			expr_visit_once(n->value, note_load, r);
		const struct axis *group = r->group;

		if (n->axis)
			vec_push(r->a, &r->open, n->axis);
		r->group = n->intrinsic ? n->axis : group;
		find_loads(r, n->body);
		find_loads(r, n->other);
		r->group = group;
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

bool store_as_read(struct program *p, int i, struct storing *s, const char **why)
{
	struct buffer *from = p->args.at[i];
	struct way_read r = { .a = p->arena, .buffer = from, .turns = 1,
			      .place = expr_int(p->arena, 0) };

	from->by_reader = false;
	find_loads(&r, p->body);
	if (!r.index)
		return true;
	if (why_not(&r)) {
		*why = why_not(&r);
		return false;
	}
	struct pack *k = program_add_pack(p, i);

	k->packed = p->args.at[i] = new_stream(&r);
	r.place = expr_simplify(r.a, r.place);
	vec_push(r.a, &s->known, (struct stored_as){ from, k->packed, r.place });
	fill_pack(k, &r);
	return true;
}
