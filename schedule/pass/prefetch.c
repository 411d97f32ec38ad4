/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/prefetch.c - what is read some turns later is on its way while this turn works.
 *
 * Requires: a nest with its vectors, buffers as they are stored.
 * Provides: where a loop asks for it, a node for each line that is read of the buffer so many of its turns later; no loop asks
 *           any more. Where no load moves as below anywhere, the program is refused.
 * Keeps:    what is computed, read and written.
 *
 * What the loops inside of a turn go over is swept by lines, but for what the turn before had. A turn may be long, and a burst of fetches
 * would fill the queues of the caches: many lines are shared out over the turns of the loops inside. */
#include <stdlib.h>

#include "schedule/matrix.h"
#include "schedule/pass/vectors/lanes.h"
#include "schedule/pass/pass.h"
#include "schedule/pass/indices/sweep.h"

enum {
	MAX_LOOPS = SWEEP_MAX,	/* from the one that asks to a load */
	WRITTEN_LINES = 8,	/* no more are written out: a loop costs a turn as much as a line */
	STREAMS = 8,		/* places of memory that are gone on from at a time: a machine's own prefetchers begin anew in each page, and fetch for all of
				 * them. On a Xeon of 2023 16 MB behind products came at 11.3 GB/s in one stream, 13.1 in two, 13.7 in four or eight */
	STREAM_LINES = 64,	/* of each at least, a page; with half and a quarter of it 12.5 and 11.4 GB/s */
	NEAR_BYTES = 16 << 10,	/* half of the least first-level cache, 32 KiB: the other half has what is at work */
};

/* Lines that turns of a loop fetch. */
struct fetched {
	const struct nest *in;
	struct lines lines;
};

struct fetched_vec VEC(const struct fetched *);

struct prefetching {
	struct program *p;
	const struct prefetch *asked;
	struct nest *path[MAX_LOOPS];	/* from the loop that asks on */
	int n;
	const struct axis *let[MAX_LOOPS];	/* inside of it, and what they are */
	const struct expr *value[MAX_LOOPS];
	int lets;
	struct fetched_vec found;
	bool wanted, made;
};

static int64_t count_of(const struct nest *loop)
{
	return loop->axis->hi - loop->axis->lo;
}

/* Can turns of N, a loop, fetch? */
static bool may_fetch(const struct prefetching *f, const struct nest *n)
{
	return (n->annotation == ANNOTATION_NONE || n->annotation == ANNOTATION_PARALLEL) && n->turns != TURNS_TRANSPOSED &&
	       matrix_block(f->p->arena, n).kind == MATRIX_NONE;
}

/* --- where it is fetched */

/* Where line U of L, of those in the order of memory, is. */
static const struct expr *line_at(struct arena *a, const struct lines *l, const struct expr *u)
{
	const struct expr *at = linear_expr(a, &l->at);
	int64_t before = 1;

	for (int i = 0; i < l->n; before *= l->run[i++].count) {
		const struct expr *digit = expr_binary(a, EXPR_DIV, u, expr_int(a, before));

		at = expr_add(a, at, expr_mul(a, expr_binary(a, EXPR_MOD, digit, expr_int(a, l->run[i].count)), l->run[i].stride));
	}
	return expr_simplify(a, at);
}

/* The number among N lines, in the order of memory, of the one that is fetched as number U: streams take turns. */
static const struct expr *in_streams(struct arena *a, const struct expr *u, int64_t n)
{
	int64_t streams = STREAMS;

	while (streams > 1 && (n % streams != 0 || n / streams < STREAM_LINES))
		streams /= 2;
	const struct expr *stream = expr_binary(a, EXPR_MOD, u, expr_int(a, streams)), *line = expr_binary(a, EXPR_DIV, u, expr_int(a, streams));

	return expr_add(a, expr_mul(a, stream, n / streams), line);
}

/* The loops inside of the one that asks whose turns fetch N lines, a few each: how many loops, and TURNS in all; where N are few, none. */
static int find_spread(const struct prefetching *f, int64_t n, int64_t *turns)
{
	int i = 1;

	*turns = 1;
	while (i < f->n && may_fetch(f, f->path[i]) && n > *turns * WRITTEN_LINES)
		*turns *= count_of(f->path[i++]);
	return i - 1;
}

/* The turn of the N loops inside of the one that asks. */
static const struct expr *turn_of(const struct prefetching *f, int n)
{
	struct arena *a = f->p->arena;
	const struct expr *turn = expr_int(a, 0);

	for (int i = 1; i <= n; i++) {
		const struct axis *axis = f->path[i]->axis;

		turn = expr_add(a, expr_mul(a, turn, count_of(f->path[i])), expr_add(a, expr_axis(a, axis), expr_int(a, -axis->lo)));
	}
	return turn;
}

/* Puts what fetches L for a turn of the loop that asks into that one or, if L is long, into those INSIDE of it, whose TURNS
 * share it out evenly: memory is at work all the time. */
static void place(struct prefetching *f, const struct lines *l, int inside, int64_t turns)
{
	struct arena *a = f->p->arena;
	int64_t n = lines_count(l);
	const struct expr *first = expr_binary(a, EXPR_DIV, expr_mul(a, turn_of(f, inside), n), expr_int(a, turns));
	struct axis *axis = arena_one(a, struct axis);
	struct nest *fetch = nest_new(a, NEST_PREFETCH, NULL), *lines = nest_new(a, NEST_LOOP, fetch), *loop = f->path[inside];

	axis->name = "line";
	axis->hi = (n + turns - 1) / turns;
	lines->axis = axis;
	lines->annotation = axis->hi <= WRITTEN_LINES ? ANNOTATION_UNROLL : ANNOTATION_NONE;
	fetch->buffer = (struct buffer *)(uintptr_t)f->asked->buffer;
	fetch->value = line_at(a, l, in_streams(a, axis->hi > 1 ? expr_add(a, first, expr_axis(a, axis)) : first, n));
	fetch->far = n * f->asked->turns * f->p->target->line_bytes > NEAR_BYTES;
	if (axis->hi == 1)
		lines = fetch;
	lines->next = loop->body;
	loop->body = lines;
	f->made = true;
}

/* --- what is read */

/* Does a loop fetch these lines already? */
static bool is_found(const struct prefetching *f, const struct fetched *x, int64_t line)
{
	for (int i = 0; i < f->found.n; i++)
		if (f->found.at[i]->in == x->in && lines_equal(&f->found.at[i]->lines, &x->lines, line))
			return true;
	return false;
}

/* Is AT known before the turn that it is read in? */
static bool is_even(const struct prefetching *f, const struct linear *at)
{
	for (int i = 0; i < f->n; i++)
		if (lanes_bent(at, f->path[i]->axis))
			return false;
	for (int i = 0; i < at->n; i++)
		if (at->term[i].atom->loads)
			return false;
	return true;
}

static void add_load(struct prefetching *f, const struct expr *load)
{
	struct arena *a = f->p->arena;
	int64_t line = f->p->target->line_bytes / (int64_t)dtype_bytes(load->dtype);
	struct fetched *x = arena_one(a, struct fetched);
	const struct expr *index[TENSOR_MAX_DIMS];
	const struct axis *swept[MAX_LOOPS];

	for (int d = 0; d < load->tensor->ndim; d++)
		index[d] = expr_simplify_with(a, load->index[d], f->let, f->value, f->lets);
	if (!lanes_offset(a, load->tensor, index, &x->lines.at) || !is_even(f, &x->lines.at))
		return;
	int64_t move = linear_coef(&x->lines.at, f->path[0]->axis);

	if (!may_fetch(f, f->path[0]) || llabs(move) < line)
		return;
	for (int i = 1; i < f->n; i++)
		swept[i - 1] = f->path[i]->axis;
	x->lines.at.constant += move * f->asked->turns;
	lines_sweep(&x->lines, swept, f->n - 1, line);
	lines_leave(&x->lines, move);
	int64_t n = lines_count(&x->lines), turns;
	int inside = find_spread(f, n, &turns);

	x->in = f->path[inside];
	if (n > PREFETCH_MOST_LINES || is_found(f, x, line))
		return;
	vec_push(a, &f->found, x);
	place(f, &x->lines, inside, turns);
}

static bool find_load(const struct expr *e, void *user)
{
	struct prefetching *f = user;

	if (e->kind == EXPR_LOAD && e->tensor == &f->asked->buffer->tensor)
		add_load(f, e);
	return e->loads;
}

static void find_in_list(struct prefetching *f, struct nest *list);

/* In the body of N, a loop or a let. */
static void find_inside(struct prefetching *f, struct nest *n)
{
	if (f->n == MAX_LOOPS || f->lets == MAX_LOOPS)
		return;
	if (n->kind == NEST_LOOP)
		f->path[f->n++] = n;
	else
		f->let[f->lets++] = n->axis;
	if (n->kind == NEST_LET)
		f->value[f->lets - 1] = expr_simplify_with(f->p->arena, n->value, f->let, f->value, f->lets - 1);
	find_in_list(f, n->body);
	f->n -= n->kind == NEST_LOOP;
	f->lets -= n->kind == NEST_LET;
}

static void find_in_list(struct prefetching *f, struct nest *list)
{
	for (struct nest *n = list; n; n = n->next) {
		if (n->kind == NEST_STORE)
			expr_visit_once(n->value, find_load, f);
		if (n->axis) {
			find_inside(f, n);
		} else {
			find_in_list(f, n->body);
			find_in_list(f, n->other);
		}
	}
}

static void prefetch_list(struct prefetching *f, struct nest *list)
{
	for (struct nest *n = list; n; n = n->next) {
		for (int i = 0; i < n->prefetches.n; i++) {
			f->asked = &n->prefetches.at[i];
			f->wanted = true;
			f->found.n = 0;
			if (f->p->target->line_bytes > 0)
				find_inside(f, n);
		}
		n->prefetches.n = 0;
		prefetch_list(f, n->body);
		prefetch_list(f, n->other);
	}
}

bool nest_pass_prefetch(struct program *p, const char **why)
{
	struct prefetching f = { .p = p };

	prefetch_list(&f, p->body);
	if (!f.wanted || f.made)
		return true;
	*why = p->target->line_bytes > 0 ? "no load moves by a line in each turn of the loop that prefetches it"
					 : "the target has no caches to prefetch into";
	return false;
}
