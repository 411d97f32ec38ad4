/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/blocks.c - loops around vectors as blocks that can be transposed. */
#include "schedule/pass/vectors/blocks.h"

#include "base/integer.h"
#include "schedule/pass/vectors/lanes.h"

/* --- may the turns of a loop change places with what is inside? */

static bool is_ordinary_loop(const struct nest *n)
{
	return n->kind == NEST_LOOP && !n->intrinsic && n->turns == TURNS_PLAIN &&
	       (n->annotation == ANNOTATION_NONE || n->annotation == ANNOTATION_UNROLL);
}

struct buffer_reading {
	const struct buffer *of;
	bool found;
};

static bool find_reading(const struct expr *e, void *user)
{
	struct buffer_reading *r = user;

	r->found |= e->kind == EXPR_LOAD && buffer_of(e->tensor) == r->of;
	return e->loads && !r->found;
}

static bool reads_buffer(const struct nest *list, const struct buffer *b)
{
	for (const struct nest *n = list; n; n = n->next) {
		struct buffer_reading r = { b, false };

		if (n->kind == NEST_STORE)
			expr_visit_once(n->value, find_reading, &r);
		if (r.found || reads_buffer(n->body, b))
			return true;
	}
	return false;
}

/* Nothing but loops around vectors, none of which combines with what was there or reads what ALL of them store. */
static bool is_unordered(const struct nest *list, const struct nest *all)
{
	for (const struct nest *n = list; n; n = n->next) {
		if (n->kind == NEST_STORE) {
			if (n->reducer != REDUCE_NONE || reads_buffer(all, n->buffer))
				return false;
		} else if (n->kind != NEST_LOOP || n->intrinsic ||
			   (n->annotation != ANNOTATION_VECTOR && !is_ordinary_loop(n)) ||
			   !is_unordered(n->body, all)) {
			return false;
		}
	}
	return true;
}

bool block_is_unordered(const struct nest *list)
{
	return is_unordered(list, list);
}

struct nest *blocks_in(struct program *p, struct nest *list, struct nest *(*blocks)(struct program *p, struct nest *n))
{
	struct nest *first = NULL;
	struct nest **hole = &first;

	while (list) {
		struct nest *n = list;

		list = n->next;
		n->next = NULL;
		struct nest *made = is_ordinary_loop(n) ? blocks(p, n) : NULL;

		if (!made && n->annotation != ANNOTATION_VECTOR) {
			n->body = blocks_in(p, n->body, blocks);
			n->other = blocks_in(p, n->other, blocks);
		}
		*hole = made ? made : n;
		while (*hole)
			hole = &(*hole)->next;
	}
	return first;
}

/* --- blocks */

enum { LEAST_LANES = 4 };

/* Do TURNS of a vector of LANES spare more than they cost? All lanes are transposed, also where turns are few: of four
 * turns of 16 lanes storing one by one took 0.95 of the time of a whole kernel. */
static bool is_worth_it(int64_t turns, int lanes)
{
	return 2 * turns >= lanes;
}

/* How elements at an index follow each other from lane to lane, and from turn to turn of a loop. */
struct moves {
	int64_t lane, turn;
};

/* False where that is not all alike. */
static bool moves_of(struct arena *a, const struct tensor *t, const struct expr *const *index,
		     const struct axis *lane, const struct axis *turn, struct moves *out)
{
	struct linear l;

	if (t->dtype != DTYPE_F32 || buffer_of(t)->registers || !lanes_offset(a, t, index, &l) ||
	    lanes_bent(&l, lane) || lanes_bent(&l, turn))
		return false;
	*out = (struct moves){ linear_coef(&l, lane), linear_coef(&l, turn) };
	return true;
}

static bool is_across(struct moves m)
{
	return m.turn == 1 && m.lane > 1;
}

bool block_transposes(struct arena *a, const struct nest *v, const struct axis *axis)
{
	const struct nest *s = v->body;
	struct moves to, from;

	if (v->lanes < LEAST_LANES || !is_worth_it(axis->hi - axis->lo, v->lanes))
		return false;
	if (s->kind != NEST_STORE || s->next || s->reducer != REDUCE_NONE ||
	    !moves_of(a, &s->buffer->tensor, s->index, v->axis, axis, &to))
		return false;
	if (is_across(to))
		return true;
	const struct expr *x = s->value;

	return to.lane == 1 && x->kind == EXPR_LOAD &&
	       moves_of(a, x->tensor, x->index, v->axis, axis, &from) && is_across(from) &&
	       !stride_is_near(from.lane);
}

/* Turns of a loop that go next to what they repeat. */
struct block {
	struct arena *a;
	const struct nest *loop;
	const struct axis *axis;	/* of the block */
	const struct expr *value;	/* of the loop's axis */
};

/* A loop of block B around a copy of node N alone; several, where N is a vector of fewer lanes than B has turns. */
static struct nest *around(const struct block *b, const struct nest *n)
{
	struct nest one = *n, *loop = arena_memdup(b->a, b->loop, sizeof(*loop));
	bool across = n->kind == NEST_LOOP && block_transposes(b->a, n, b->loop->axis);
	int64_t turns = b->axis->hi - b->axis->lo;

	one.next = NULL;
	loop->next = NULL;
	loop->axis = b->axis;
	loop->body = nest_copy(b->a, &one, &b->loop->axis, &b->value, 1);
	if (across && turns > n->lanes)
		return blocks_of(b->a, loop);
	if (across && is_worth_it(turns, n->lanes))
		loop->turns = TURNS_TRANSPOSED;
	return loop;
}

/* A copy of LIST, with block B inside of all loops but those of lanes. */
static struct nest *sink(const struct block *b, const struct nest *list)
{
	struct nest *first = NULL;

	for (const struct nest *n = list; n; n = n->next) {
		struct nest *next;

		if (n->kind == NEST_LOOP && n->annotation != ANNOTATION_VECTOR) {
			next = arena_memdup(b->a, n, sizeof(*n));
			next->next = NULL;
			next->body = sink(b, n->body);
		} else {
			next = around(b, n);
		}
		first = nest_append(first, next);
	}
	return first;
}

/* Turns [LO, HI) of N as one block. */
static struct nest *one_block(struct arena *a, const struct nest *n, int64_t lo, int64_t hi)
{
	struct block b = { a, n, axis_part(a, n->axis, lo, hi), NULL };

	b.value = expr_axis(a, b.axis);
	return sink(&b, n->body);
}

/* A loop of COUNT blocks of SIZE turns of N, from its first on. */
static struct nest *many_blocks(struct arena *a, const struct nest *n, int64_t count, int64_t size)
{
	const struct axis *outer = axis_part(a, n->axis, 0, count);
	struct block b = { a, n, axis_part(a, n->axis, 0, size), NULL };
	struct nest *loop = arena_memdup(a, n, sizeof(*n));
	const struct expr *first = expr_mul(a, expr_axis(a, outer), size);

	b.value = expr_add(a, expr_add(a, first, expr_axis(a, b.axis)), expr_int(a, n->axis->lo));
	loop->axis = outer;
	loop->next = NULL;
	loop->body = sink(&b, n->body);
	return loop;
}

static int most_lanes(const struct nest *list)
{
	int most = 0;

	for (const struct nest *n = list; n; n = n->next) {
		int lanes = n->kind == NEST_LOOP ? n->lanes ? n->lanes : most_lanes(n->body) : 0;

		most = lanes > most ? lanes : most;
	}
	return most;
}

struct nest *blocks_of(struct arena *a, const struct nest *n)
{
	int64_t size = most_lanes(n->body), turns = n->axis->hi - n->axis->lo, count = turns / size;
	int64_t at = n->axis->lo;
	struct nest *first = NULL;

	if (count > 1 && n->annotation == ANNOTATION_NONE) {
		first = many_blocks(a, n, count, size);
		at += count * size;
	}
	for (; at < n->axis->hi; at += size)
		first = nest_append(first, one_block(a, n, at, least(at + size, n->axis->hi)));
	return first;
}
