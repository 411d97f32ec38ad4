/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/unroll.c - how the turns of loops are written.
 *
 * Requires: a nest with its vectors.
 * Provides: loop.turns. Loops of few turns that fill a local buffer are written out by the compiler: what
 *           reads it next then takes the values from registers (docs/performance.md), as long as there are no
 *           more than these. And between some turns of written-out loops values are read again.
 * Keeps:    the nest.
 *
 * A compiler reads each element of a written-out body once and keeps it for all of its uses. Where
 * windows overlap, many of those are in later turns of a reduction; and where the accumulators and
 * what waits so long are more than there are registers, it spills both, for the sake of loads that
 * would have cost nothing (docs/performance.md). Between the turns of such a loop the text says that
 * memory may have changed. */
#include <stdlib.h>

#include "schedule/pass/vectors/lanes.h"
#include "schedule/pass/pass.h"

/* Measured: docs/performance.md. */
enum { FEW_TURNS = 4 };
/* Beyond any number of registers. */
enum { MOST_COUNTED = 1 << 20 };

/* A written-out loop from the one in question on. */
struct written_loop {
	const struct axis *axis;
	int64_t count, step;	/* turns, and what the axis grows by in each */
};

struct written_out {
	struct program *p;
	struct written_loop turns[TENSOR_MAX_DIMS * 4];
	int n;
	const struct buffer *tile;	/* accumulators; NULL: none yet */
	int64_t updated;		/* cells of it, in a turn of the loop in question */
	double values;			/* that are read */
	bool plain;			/* it is a reduction into one tile, all of it in each turn */
};

/* Does a quotient or the like of the loops' axes occur in L? */
static bool is_bent(const struct written_out *b, const struct linear *l)
{
	for (int i = 0; i < b->n; i++)
		if (lanes_bent(l, b->turns[i].axis))
			return true;
	return false;
}

/* An offset that grows by STRIDE in each of COUNT turns. */
struct stride_run {
	int64_t stride, count;
};

static void insert_run(struct stride_run *list, int n, struct stride_run x)
{
	for (; n > 0 && list[n - 1].stride > x.stride; n--)
		list[n] = list[n - 1];
	list[n] = x;
}

/* How many offsets N runs together reach. Those of a run that begins inside of a shorter stride's, as where windows
 * overlap, lengthen that one; what overlaps in another way is counted twice. */
static double count_offsets(struct stride_run *list, int n)
{
	double offsets = 1;
	struct stride_run last = { 1, 1 };

	for (int i = 0; i < n; i++) {
		struct stride_run x = list[i];
		int64_t apart = x.stride / last.stride;

		if (x.stride % last.stride == 0 && apart <= last.count) {
			last.count += apart * (x.count - 1);
		} else {
			offsets *= (double)last.count;
			last = x;
		}
	}
	return offsets * (double)last.count;
}

/* How many different elements, or vectors of them, LOAD reads in all turns. */
static double count_values(struct written_out *b, const struct expr *load)
{
	struct stride_run list[sizeof(b->turns) / sizeof(b->turns[0])];
	struct linear offset;
	double turns = 1;
	int n = 0;

	for (int i = 0; i < b->n; i++)
		turns *= (double)b->turns[i].count;
	if (!lanes_offset(b->p->arena, load->tensor, load->index, &offset) || is_bent(b, &offset))
		return turns;
	for (int i = 0; i < b->n; i++) {
		const struct written_loop *t = &b->turns[i];
		int64_t stride = llabs(linear_coef(&offset, t->axis) * t->step);

		if (stride != 0 && t->count > 1)
			insert_run(list, n++, (struct stride_run){ stride, t->count });
	}
	return count_offsets(list, n);
}

static bool add_loads(const struct expr *x, void *user)
{
	struct written_out *b = user;

	if (x->kind == EXPR_LOAD && !buffer_of(x->tensor)->registers)
		b->values += count_values(b, x);
	return x->loads;
}

/* A store to the tile: do the loops below the one in question go over all its cells? */
static void add_store(struct written_out *b, const struct nest *n)
{
	int64_t cells = 1;

	b->plain &= n->buffer->registers && n->reducer != REDUCE_NONE &&
		    (!b->tile || b->tile == n->buffer);
	b->tile = n->buffer;
	for (int i = 0; b->plain && i < b->n; i++) {
		bool moves = false;

		for (int d = 0; d < n->buffer->tensor.ndim; d++)
			moves |= expr_uses_axis(n->index[d], b->turns[i].axis);
		if (moves && i == 0)
			b->plain = false;
		else if (moves)
			cells *= b->turns[i].count * b->turns[i].step;
	}
	b->updated += cells;
	if (b->plain)
		expr_visit(n->value, add_loads, b);
}

static void add_list(struct written_out *b, const struct nest *list);

static void add_loop(struct written_out *b, const struct nest *n)
{
	int64_t extent = n->axis->hi - n->axis->lo;
	bool whole = n->annotation == ANNOTATION_VECTOR || n->intrinsic;	/* one turn of it all */

	if ((!whole && n->annotation != ANNOTATION_UNROLL) ||
	    b->n == (int)(sizeof(b->turns) / sizeof(b->turns[0]))) {
		b->plain = false;
		return;
	}
	b->turns[b->n++] = (struct written_loop){ n->axis, whole ? 1 : extent, whole ? extent : 1 };
	add_list(b, n->body);
	b->n--;
}

static void add_list(struct written_out *b, const struct nest *list)
{
	for (const struct nest *n = list; n && b->plain; n = n->next) {
		if (n->kind == NEST_LOOP)
			add_loop(b, n);
		else if (n->kind == NEST_STORE)
			add_store(b, n);
		else if (n->kind != NEST_PREFETCH)
			b->plain = false;
	}
}

/* Is what one turn of the written-out loop N has read not to be kept for the next? */
static bool reloads(struct program *p, const struct nest *n)
{
	struct written_out b = { .p = p, .plain = true };

	if (!n->axis->reduce)	/* its turns are of different cells */
		return false;
	b.turns[b.n++] = (struct written_loop){ n->axis, n->axis->hi - n->axis->lo, 1 };
	add_list(&b, n->body);
	if (!b.plain || !b.tile || b.updated < tensor_count(&b.tile->tensor))
		return false;
	double tile = (double)tensor_bytes(&b.tile->tensor) / p->target->vector_bytes;

	return tile + b.values > p->target->vector_registers;
}

/* Are all buffers that LIST stores to small enough to be in registers? */
static bool fits_registers(const struct program *p, const struct nest *list)
{
	size_t most = p->target->scope_bytes[SCOPE_REGISTERS];

	for (const struct nest *n = list; n; n = n->next)
		if ((n->kind == NEST_STORE && tensor_bytes(&n->buffer->tensor) > most) || !fits_registers(p, n->body) ||
		    !fits_registers(p, n->other))
			return false;
	return true;
}

/* Are all that LIST has stores to different elements of one buffer, B, in each turn of AXIS? */
static bool moves_along(const struct nest *list, const struct axis *axis, const struct buffer **b)
{
	for (const struct nest *n = list; n; n = n->next) {
		bool moves = false;

		if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_UNROLL && moves_along(n->body, axis, b))
			continue;
		if (n->kind != NEST_STORE || (*b && n->buffer != *b))
			return false;
		*b = n->buffer;
		for (int d = 0; d < n->buffer->tensor.ndim; d++)
			moves |= expr_uses_axis(n->index[d], axis);
		if (!moves)
			return false;
	}
	return true;
}

static bool is_alike(const struct nest *n)
{
	const struct buffer *b = NULL;

	return n->annotation == ANNOTATION_NONE && !n->axis->reduce && moves_along(n->body, n->axis, &b);
}

/* How the TURNS of loop N, of INSIDE values each, are written. */
static enum turns turns_of(struct program *p, const struct nest *n, int64_t turns, int64_t inside)
{
	if (n->turns != TURNS_PLAIN || n->intrinsic)
		return n->turns;
	if (n->annotation == ANNOTATION_UNROLL && reloads(p, n))
		return TURNS_RELOAD;
	if (n->annotation == ANNOTATION_NONE && n->fills && turns <= FEW_TURNS && turns * inside <= p->target->vector_registers &&
	    fits_registers(p, n->body))
		return TURNS_FEW;
	return p->target->alike && is_alike(n) ? TURNS_ALIKE : TURNS_PLAIN;
}

/* Marks the loops of LIST; how many values it stores, turn by turn. Blocks that are written at once are in memory: nothing
 * is gained by writing out what is around them. */
static int64_t mark(struct program *p, struct nest *list)
{
	int64_t all = 0;

	for (struct nest *n = list; n; n = n->next) {
		int64_t turns = n->kind == NEST_LOOP ? n->axis->hi - n->axis->lo : 1;
		int64_t inside = mark(p, n->body) + mark(p, n->other) + (n->kind == NEST_STORE);

		if (n->kind == NEST_LOOP)
			n->turns = turns_of(p, n, turns, inside);
		if (nest_is_whole(n))
			all = MOST_COUNTED;
		else
			all += n->annotation == ANNOTATION_VECTOR ? inside : turns * inside;
		all = all < MOST_COUNTED ? all : MOST_COUNTED;
	}
	return all;
}

bool nest_pass_unroll(struct program *p, const char **why)
{
	(void)why;
	nest_survey(p->body);
	mark(p, p->body);
	return true;
}
