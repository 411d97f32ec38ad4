/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/transpose.c - lanes that lie apart, but side by side from turn to turn of a loop around, are
 * transposed in registers.
 *
 * Requires: vectors.
 * Provides: a loop of as many turns as a vector has lanes, or fewer, right around a vector loop of one store: the
 *           turns of both are a block of which one side, what is stored or what is copied, has neighbours in memory
 *           along the other loop (loop.turns). Where it has more turns, a loop of such blocks and one of what is left.
 * Keeps:    results. Stores change their order, which none of them reads.
 *
 * Lane by lane a vector is as many loads, or stores, and as many instructions that a compiler has to look at: of a
 * direct 3x3 convolution that stores its 28 vectors into a plain layout, half of the time to compile
 * (docs/performance.md). */
#include "base/integer.h"
#include "schedule/pass/lanes.h"
#include "schedule/pass/pass.h"

enum { LEAST_LANES = 4 };

/* Do TURNS spare more than they cost? All lanes are transposed, also where turns are few: of four turns of 16 lanes
 * storing one by one took 0.95 of the time of a whole kernel. */
static bool pays(int64_t turns, int lanes)
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

/* Is the vector loop V a part of blocks with AXIS? */
static bool transposes(struct arena *a, const struct nest *v, const struct axis *axis)
{
	const struct nest *s = v->body;
	struct moves to, from;

	if (v->lanes < LEAST_LANES || !pays(axis->hi - axis->lo, v->lanes) || s->kind != NEST_STORE || s->next || s->reducer != REDUCE_NONE ||
	    !moves_of(a, &s->buffer->tensor, s->index, v->axis, axis, &to))
		return false;
	if (is_across(to))
		return true;
	const struct expr *x = s->value;

	return to.lane == 1 && x->kind == EXPR_LOAD &&
	       moves_of(a, x->tensor, x->index, v->axis, axis, &from) && is_across(from) &&
	       !stride_is_near(from.lane);
}

/* --- may the turns of a loop change places with what is inside? */

static bool is_loop_of_stores(const struct nest *n)
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
			   (n->annotation != ANNOTATION_VECTOR && !is_loop_of_stores(n)) ||
			   !is_unordered(n->body, all)) {
			return false;
		}
	}
	return true;
}

static bool any_transposes(struct arena *a, const struct nest *list, const struct axis *axis)
{
	for (const struct nest *n = list; n; n = n->next) {
		if (n->kind == NEST_LOOP && (n->annotation == ANNOTATION_VECTOR ? transposes(a, n, axis)
										: any_transposes(a, n->body, axis)))
			return true;
	}
	return false;
}

/* --- blocks */

/* Turns of a loop that go next to what they repeat. */
struct block {
	struct arena *a;
	const struct nest *loop;
	const struct axis *axis;	/* of the block */
	const struct expr *value;	/* of the loop's axis */
};

/* A loop of block B around a copy of node N alone. */
static struct nest *around(const struct block *b, const struct nest *n, bool transposed)
{
	struct nest one = *n, *loop = arena_memdup(b->a, b->loop, sizeof(*loop));

	one.next = NULL;
	loop->next = NULL;
	loop->axis = b->axis;
	loop->turns = transposed ? TURNS_TRANSPOSED : TURNS_PLAIN;
	loop->body = nest_copy(b->a, &one, &b->loop->axis, &b->value, 1);
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
			next = around(b, n, n->kind == NEST_LOOP && transposes(b->a, n, b->loop->axis) &&
					     pays(b->axis->hi - b->axis->lo, n->lanes));
		}
		first = nest_append(first, next);
	}
	return first;
}

static const struct axis *part_of(struct arena *a, const struct axis *axis, int64_t lo, int64_t hi)
{
	struct axis *part = arena_memdup(a, axis, sizeof(*part));

	part->lo = lo;
	part->hi = hi;
	return part;
}

/* Turns [LO, HI) of N as one block. */
static struct nest *one_block(struct arena *a, const struct nest *n, int64_t lo, int64_t hi)
{
	struct block b = { a, n, part_of(a, n->axis, lo, hi), NULL };

	b.value = expr_axis(a, b.axis);
	return sink(&b, n->body);
}

/* A loop of COUNT blocks of SIZE turns of N, from its first on. */
static struct nest *many_blocks(struct arena *a, const struct nest *n, int64_t count, int64_t size)
{
	const struct axis *outer = part_of(a, n->axis, 0, count);
	struct block b = { a, n, part_of(a, n->axis, 0, size), NULL };
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

/* Loop N as blocks. */
static struct nest *blocks(struct arena *a, const struct nest *n)
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

static struct nest *transpose_list(struct arena *a, struct nest *list)
{
	struct nest *first = NULL;
	struct nest **hole = &first;

	while (list) {
		struct nest *n = list;

		list = n->next;
		n->next = NULL;
		if (is_loop_of_stores(n) && any_transposes(a, n->body, n->axis) && is_unordered(n->body, n->body)) {
			n = blocks(a, n);
		} else if (n->annotation != ANNOTATION_VECTOR) {
			n->body = transpose_list(a, n->body);
			n->other = transpose_list(a, n->other);
		}
		*hole = n;
		while (*hole)
			hole = &(*hole)->next;
	}
	return first;
}

bool nest_pass_transpose(struct program *p, const char **why)
{
	(void)why;
	p->body = transpose_list(p->arena, p->body);
	return true;
}
