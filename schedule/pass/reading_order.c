/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/reading_order.c - constants in the order in which they are read, for the pass packs. */
#include "schedule/pass/stored.h"
#include "te/index/index.h"

/* Beyond this a packed constant repeats too much of itself to be worth its memory. */
enum { PACK_MAX_GROWTH = 4 };

/* How a buffer is read, and inside what. */
struct way_read {
	struct arena *a;
	const struct buffer *buffer;
	struct axis_list open;	/* loops and lets around this place, outermost first */
	const struct axis *group;	/* of them: an intrinsic reads its turns side by side; NULL: none */
	struct axis_list loops;	/* those that move the index */
	int64_t turns;		/* of these together */
	const struct expr *place;	/* of the element among these turns */
	const struct expr *const *index;	/* NULL: no load was found yet */
	bool differs;			/* another load has another index */
};

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

/* --- the pack */

static struct nest *new_store(struct arena *a, struct buffer *to, const struct expr *index,
			      const struct expr *value)
{
	struct nest *n = nest_new(a, NEST_STORE, NULL);

	n->buffer = to;
	n->index = arena_memdup(a, &index, sizeof(index));
	n->value = value;
	return n;
}

/* The condition that the element read is one of the buffer's; an integer where that is certain. */
static const struct expr *inside(const struct way_read *r)
{
	const struct expr *all = NULL;

	for (int d = 0; d < r->buffer->tensor.ndim; d++) {
		const struct expr *end = expr_int(r->a, r->buffer->tensor.shape[d]);
		const struct expr *begins =
			expr_binary(r->a, EXPR_LE, expr_int(r->a, 0), r->index[d]);
		const struct expr *ends = expr_binary(r->a, EXPR_LT, r->index[d], end);
		const struct expr *both = expr_binary(r->a, EXPR_AND, begins, ends);

		all = all ? expr_binary(r->a, EXPR_AND, all, both) : both;
	}
	return all ? expr_simplify(r->a, all) : expr_int(r->a, 1);
}

/* BODY for all turns of the loops, which reduce nothing here. */
static struct nest *inside_loops(const struct way_read *r, struct nest *body)
{
	const struct expr **to = arena_many(r->a, const struct expr *, r->loops.n);

	for (int i = 0; i < r->loops.n; i++) {
		struct axis *own = arena_memdup(r->a, r->loops.at[i], sizeof(*own));

		own->reduce = false;
		to[i] = expr_axis(r->a, own);
	}
	body = nest_copy(r->a, body, r->loops.at, to, r->loops.n);
	for (int i = r->loops.n - 1; i >= 0; i--) {
		body = nest_new(r->a, NEST_LOOP, body);
		body->axis = to[i]->axis;
	}
	return body;
}

/* TO has for all turns of the loops the element that is read there, or 0. */
static struct nest *fill(const struct way_read *r, struct buffer *to)
{
	const struct tensor *t = &r->buffer->tensor;
	const struct expr *condition = inside(r);
	struct nest *n = new_store(r->a, to, r->place, expr_load(r->a, t, r->index));

	if (condition->kind != EXPR_INT) {
		n = nest_new(r->a, NEST_IF, n);
		n->value = condition;
		n->other = new_store(r->a, to, r->place, expr_const(r->a, t->dtype, 0));
	}
	return inside_loops(r, n);
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

/* BODY, which computes B, with B no longer what is kept. */
static struct nest *held_in_between(struct arena *a, struct buffer *b, struct nest *body)
{
	struct nest *alloc = nest_new(a, NEST_ALLOC, NULL);

	b->kind = BUFFER_TEMP;
	b->constant = false;
	alloc->buffer = b;
	return nest_append(alloc, body);
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
	if (k->body)
		k->body = held_in_between(r.a, from, k->body);
	r.place = expr_simplify(r.a, r.place);
	vec_push(r.a, &s->known, (struct stored_as){ from, k->packed, r.place });
	k->body = nest_append(k->body, fill(&r, k->packed));
	return true;
}
