/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/blocks.c - what moves as one, as rectangles, and which of them meet. */
#include <stdlib.h>

#include "runtime/plan/problem.h"

/* Of 24 bytes each: beyond any model with fewer than thousands of buffers alive in one step. */
enum { MAX_EDGES = 4000000 };

/* Where a buffer hangs: on what it is part of, or on who takes its bytes over. */
struct hanging {
	int *on;		/* by buffer; -1 */
	int *taker;		/* by buffer; -1 */
};

static struct hanging hang(struct arena *a, const struct plan_problem *p, const bool *taken)
{
	struct hanging h = { arena_many(a, int, p->n), arena_many(a, int, p->n) };

	for (int i = 0; i < p->n; i++) {
		h.on[i] = p->buffers[i].part_of;
		h.taker[i] = -1;
	}
	for (int i = 0; i < p->ntakers; i++) {
		int from = p->buffers[p->takers[i]].in_place;

		if (taken[i])
			h.on[from] = h.taker[from] = p->takers[i];
	}
	return h;
}

/* The block of buffer I and its place there; what it hangs on is found first. STACK has room for all
 * buffers. */
static void find_block(const struct hanging *h, struct plan_blocks *b, int i, int *stack)
{
	int n = 0;

	for (; b->block_of[i] < 0; i = h->on[i])
		stack[n++] = i;
	while (n--) {
		int x = stack[n];

		b->block_of[x] = b->block_of[h->on[x]];
		b->within[x] = b->within[h->on[x]] +
			       (h->taker[x] < 0 ? (int64_t)b->problem->buffers[x].offset : 0);
	}
}

/* Numbers the blocks in the order of the buffers that hang on none. */
static void find_blocks(struct arena *a, const struct hanging *h, struct plan_blocks *b)
{
	int *stack = arena_many(a, int, b->problem->n);

	for (int i = 0; i < b->problem->n; i++)
		b->block_of[i] = h->on[i] < 0 ? b->n++ : -1;
	for (int i = 0; i < b->problem->n; i++)
		find_block(h, b, i, stack);
}

/* Takes the sections FIRST to LAST out of the pieces RECTS, which are one buffer's. */
static void cut_out(struct arena *a, struct plan_rect_vec *rects, int first, int last)
{
	int n = rects->n;

	for (int i = 0; i < n; i++) {
		struct plan_rect *r = &rects->at[i];
		struct plan_rect behind = *r;

		if (r->first > last || r->last < first)
			continue;
		if (r->last > last) {
			behind.first = last + 1;
			vec_push(a, rects, behind);
			r = &rects->at[i];
		}
		r->last = first - 1;	/* none is left where it began there */
	}
}

/* Adds what of buffer I is in no other of its block. */
static void add_rects(struct arena *a, struct plan_blocks *b, const struct hanging *h, int i)
{
	const struct plan_problem *p = b->problem;
	size_t bytes = (p->buffers[i].bytes + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;
	struct plan_rect_vec pieces = { 0 };

	if (!bytes)
		return;
	vec_push(a, &pieces, (struct plan_rect){
		.at = b->within[i], .bytes = (int64_t)bytes, .first = p->first[i],
		.last = h->taker[i] < 0 ? p->last[i] : p->first[h->taker[i]] - 1 });
	for (int w = p->buffers[i].part_of; w >= 0; w = p->buffers[w].part_of)
		cut_out(a, &pieces, p->first[w], p->last[w]);
	for (int j = 0; j < pieces.n; j++)
		if (pieces.at[j].first <= pieces.at[j].last)
			vec_push(a, &b->at[b->block_of[i]].rects, pieces.at[j]);
}

static int by_place(const void *x, const void *y)
{
	const struct plan_rect *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Puts rectangles of the same bytes together that follow each other. */
static void join(struct plan_rect_vec *rects)
{
	int n = 0;

	if (!rects->n)
		return;
	qsort(rects->at, (size_t)rects->n, sizeof(*rects->at), by_place);
	for (int i = 1; i < rects->n; i++) {
		struct plan_rect *to = &rects->at[n];
		const struct plan_rect *r = &rects->at[i];

		if (r->at == to->at && r->bytes == to->bytes && r->first == to->last + 1)
			to->last = r->last;
		else
			rects->at[++n] = *r;
	}
	rects->n = n + 1;
}

static void measure(struct plan_blocks *b, struct plan_block *x)
{
	for (int i = 0; i < x->rects.n; i++) {
		const struct plan_rect *r = &x->rects.at[i];

		if (!i || r->first < x->first)
			x->first = r->first;
		if (!i || r->last > x->last)
			x->last = r->last;
		if (r->at + r->bytes > x->bytes)
			x->bytes = r->at + r->bytes;
		b->flat &= r->at == 0;
	}
}

static void find_load(struct arena *a, struct plan_blocks *b)
{
	b->load = arena_many(a, int64_t, b->problem->nsections + 1);
	for (int i = 0; i < b->n; i++)
		for (int j = 0; j < b->at[i].rects.n; j++) {
			const struct plan_rect *r = &b->at[i].rects.at[j];

			b->load[r->first] += r->bytes;
			b->load[r->last + 1] -= r->bytes;
		}
	for (int i = 1; i < b->problem->nsections; i++)
		b->load[i] += b->load[i - 1];
}

struct plan_blocks *plan_blocks(struct arena *a, const struct plan_problem *p, const bool *taken)
{
	struct hanging h = hang(a, p, taken);
	struct plan_blocks *b = arena_one(a, struct plan_blocks);

	*b = (struct plan_blocks){ .problem = p, .flat = true };
	b->block_of = arena_many(a, int, p->n);
	b->within = arena_many(a, int64_t, p->n);
	find_blocks(a, &h, b);
	b->at = arena_many(a, struct plan_block, b->n);
	for (int i = 0; i < p->n; i++)
		add_rects(a, b, &h, i);
	for (int i = 0; i < b->n; i++) {
		join(&b->at[i].rects);
		measure(b, &b->at[i]);
	}
	find_load(a, b);
	return b;
}

struct owned_rect {
	int block;
	const struct plan_rect *rect;
};

static int by_begin(const void *x, const void *y)
{
	const struct owned_rect *a = x, *b = y;

	if (a->rect->first != b->rect->first)
		return a->rect->first < b->rect->first ? -1 : 1;
	return (a->block > b->block) - (a->block < b->block);
}

static void add_edge(struct arena *a, struct plan_blocks *b, const struct owned_rect *x,
		     const struct owned_rect *y)
{
	vec_push(a, &b->at[x->block].edges, (struct plan_edge){
		.other = y->block, .low = y->rect->at - x->rect->at - x->rect->bytes,
		.high = y->rect->at + y->rect->bytes - x->rect->at });
}

bool plan_edges(struct arena *a, struct plan_blocks *b)
{
	int n = 0, nalive = 0, nedges = 0;

	for (int i = 0; i < b->n; i++)
		n += b->at[i].rects.n;
	struct owned_rect *all = arena_many(a, struct owned_rect, n);
	struct owned_rect *alive = arena_many(a, struct owned_rect, n);

	n = 0;
	for (int i = 0; i < b->n; i++)
		for (int j = 0; j < b->at[i].rects.n; j++)
			all[n++] = (struct owned_rect){ i, &b->at[i].rects.at[j] };
	qsort(all, (size_t)n, sizeof(*all), by_begin);
	for (int i = 0; i < n; i++) {
		int kept = 0;

		for (int j = 0; j < nalive; j++) {
			if (alive[j].rect->last < all[i].rect->first)
				continue;
			alive[kept++] = alive[j];
			if (alive[j].block == all[i].block)
				continue;
			if (++nedges > MAX_EDGES / 2)
				return false;
			add_edge(a, b, &all[i], &alive[j]);
			add_edge(a, b, &alive[j], &all[i]);
		}
		alive[kept] = all[i];
		nalive = kept + 1;
	}
	return true;
}

struct keyed {
	double key;
	int i;
};

static int by_falling_key(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return (a->i > b->i) - (a->i < b->i);
}

int *order_by_key(struct arena *a, const double *key, int n)
{
	struct keyed *all = arena_many(a, struct keyed, n);
	int *order = arena_many(a, int, n);

	for (int i = 0; i < n; i++)
		all[i] = (struct keyed){ key[i], i };
	qsort(all, (size_t)n, sizeof(*all), by_falling_key);
	for (int i = 0; i < n; i++)
		order[i] = all[i].i;
	return order;
}
