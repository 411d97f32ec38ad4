/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/stack.c - depth first through the orders in which blocks could be stacked. */
#include "runtime/plan/stack.h"

#include "base/clock.h"

/* Blocks beyond which the lists of a search would be too long: 2 million candidates of 16 bytes. */
enum { MAX_STACKED = 2000 };
/* Nodes between two looks at the clock: about a millisecond. */
enum { CLOCK_NODES = 64 };

struct floor_change {
	int section;
	int64_t floor, rest;	/* before */
};

struct floor_change_vec VEC(struct floor_change);

struct resting {
	int block;
	int64_t place;		/* as low as it can lie now */
};

/* Behind this one the next may come: higher, or at the same height with a later rank. */
struct stack_top {
	int64_t place;
	int rank;
};

struct stacking {
	struct arena *arena;
	const struct plan_blocks *blocks;
	struct stack_effort effort;
	int64_t limit;
	int64_t *floor;		/* by section: the top of what is placed */
	int64_t *rest;		/* by section: bytes of what is not placed */
	int64_t *least;		/* by section: the lowest that anything can be there; scratch */
	int *rank;		/* by block */
	int64_t *offset;	/* by block */
	struct floor_change_vec changes;
	struct resting *candidates;	/* a stack; so are the lists of blocks */
	int *lists;
	bool stopped;
};

static void take_back(struct stacking *x, int mark)
{
	while (x->changes.n > mark) {
		const struct floor_change *c = &x->changes.at[--x->changes.n];

		x->floor[c->section] = c->floor;
		x->rest[c->section] = c->rest;
	}
}

static void put(struct stacking *x, int block, int64_t place)
{
	const struct plan_block *b = &x->blocks->at[block];

	x->offset[block] = place;
	for (int i = 0; i < b->rects.n; i++) {
		const struct plan_rect *r = &b->rects.at[i];

		for (int s = r->first; s <= r->last; s++) {
			vec_push(x->arena, &x->changes,
				 (struct floor_change){ s, x->floor[s], x->rest[s] });
			x->floor[s] = place + r->at + r->bytes;
			x->rest[s] -= r->bytes;
		}
	}
}

static int64_t lowest_place(const struct stacking *x, const struct plan_block *b, int64_t low)
{
	for (int i = 0; i < b->rects.n; i++) {
		const struct plan_rect *r = &b->rects.at[i];

		for (int s = r->first; s <= r->last; s++)
			if (x->floor[s] - r->at > low)
				low = x->floor[s] - r->at;
	}
	return low;
}

static void lower_least(struct stacking *x, const struct plan_block *b, int64_t place)
{
	for (int i = 0; i < b->rects.n; i++) {
		const struct plan_rect *r = &b->rects.at[i];

		for (int s = r->first; s <= r->last; s++)
			if (place + r->at < x->least[s])
				x->least[s] = place + r->at;
	}
}

/* Can what is left in the sections FIRST to LAST still stay below the limit? */
static bool has_room(const struct stacking *x, int first, int last)
{
	for (int s = first; s <= last; s++)
		if (x->rest[s] && x->rest[s] > x->limit - x->least[s])
			return false;
	return true;
}

/* Places for the N blocks of LIST, which begins with the earliest, at CANDIDATES. False where they
 * cannot all be below the limit. */
static bool find_places(struct stacking *x, const int *list, int n, int64_t low,
			struct resting *candidates)
{
	int first = x->blocks->at[list[0]].first, last = first;

	for (int i = 0; i < n; i++)
		if (x->blocks->at[list[i]].last > last)
			last = x->blocks->at[list[i]].last;
	for (int s = first; s <= last; s++)
		x->least[s] = INT64_MAX;
	for (int i = 0; i < n; i++) {
		const struct plan_block *b = &x->blocks->at[list[i]];
		int64_t place = lowest_place(x, b, low);

		if (place + b->bytes > x->limit)
			return false;
		lower_least(x, b, place);
		candidates[i] = (struct resting){ list[i], place };
	}
	return has_room(x, first, last);
}

static bool is_twin(const struct plan_block *x, const struct plan_block *y)
{
	return x->rects.n == 1 && y->rects.n == 1 && x->bytes == y->bytes &&
	       x->first == y->first && x->last == y->last;
}

/* Does X come before Y? */
static bool is_before(const struct stacking *s, const struct resting *x,
		      const struct resting *y)
{
	return x->place != y->place ? x->place < y->place : s->rank[x->block] < s->rank[y->block];
}

/* Of the N candidates those that may come next, in the order in which they are tried. Nothing may lie
 * so high that another would fit below it: that would have come before. */
static int keep_next(const struct stacking *s, struct resting *c, int n, struct stack_top top)
{
	int64_t low = INT64_MAX;
	int kept = 0;

	for (int i = 0; i < n; i++)
		if (c[i].place + s->blocks->at[c[i].block].bytes < low)
			low = c[i].place + s->blocks->at[c[i].block].bytes;
	for (int i = 0; i < n; i++) {
		struct resting next = c[i];
		int at = kept;

		if (next.place >= low ||
		    (next.place == top.place && s->rank[next.block] < top.rank))
			continue;
		for (; at > 0 && is_before(s, &next, &c[at - 1]); at--)
			c[at] = c[at - 1];
		c[at] = next;
		kept++;
	}
	return kept;
}

static bool is_stopped(struct stacking *x)
{
	if (x->effort.nodes-- <= 0 ||
	    (x->effort.nodes % CLOCK_NODES == 0 && clock_s() > x->effort.deadline))
		x->stopped = true;
	return x->stopped;
}

static bool solve(struct stacking *x, const int *list, int n, struct stack_top top);

/* The N blocks of LIST with C at its place, the others behind it. */
static bool solve_with(struct stacking *x, const int *list, int n, struct resting c)
{
	int *others = x->lists;
	int mark = x->changes.n;
	int left = 0;

	for (int i = 0; i < n; i++)
		if (list[i] != c.block)
			others[left++] = list[i];
	x->lists += left;
	put(x, c.block, c.place);
	bool found = solve(x, others, left, (struct stack_top){ c.place, x->rank[c.block] });

	if (!found)
		take_back(x, mark);
	x->lists = others;
	return found;
}

/* Stacks N > 0 blocks, in the order of their begin, that hang together in time. */
static bool solve_part(struct stacking *x, const int *list, int n, struct stack_top top)
{
	struct resting *c = x->candidates;
	bool found = false;

	if (is_stopped(x) || !find_places(x, list, n, top.place, c))
		return false;
	int next = keep_next(x, c, n, top);

	x->candidates += next;
	for (int i = 0; i < next && !found && !x->stopped; i++)
		if (!i || c[i].place != c[i - 1].place ||
		    !is_twin(&x->blocks->at[c[i].block], &x->blocks->at[c[i - 1].block]))
			found = solve_with(x, list, n, c[i]);
	x->candidates = c;
	return found;
}

/* Stacks N blocks in the order of their begin, each part that has no time in common with the others
 * for itself; nothing is changed where one cannot be. */
static bool solve(struct stacking *x, const int *list, int n, struct stack_top top)
{
	int mark = x->changes.n;
	int begin = 0, last = -1;

	for (int i = 0; i <= n; i++) {
		if (i > begin && (i == n || x->blocks->at[list[i]].first > last)) {
			if (!solve_part(x, list + begin, i - begin, top)) {
				take_back(x, mark);
				return false;
			}
			begin = i;
		}
		if (i < n && x->blocks->at[list[i]].last > last)
			last = x->blocks->at[list[i]].last;
	}
	return true;
}

static double rank_key(const struct plan_block *b, enum stack_rank rank)
{
	switch (rank) {
	case RANK_AREA:
		return (double)b->bytes * (b->last - b->first + 1);
	case RANK_BYTES:
		return (double)b->bytes;
	case RANK_LIFE:
	case RANK_COUNT:
		break;
	}
	return b->last - b->first;
}

static void find_ranks(struct stacking *x, enum stack_rank rank)
{
	int n = x->blocks->n;
	double *key = arena_many(x->arena, double, n);

	for (int i = 0; i < n; i++)
		key[i] = rank_key(&x->blocks->at[i], rank);
	const int *order = order_by_key(x->arena, key, n);

	x->rank = arena_many(x->arena, int, n);
	for (int i = 0; i < n; i++)
		x->rank[order[i]] = i;
}

/* The blocks that have bytes, in the order of their begin. */
static int *blocks_by_begin(const struct stacking *x, int *n)
{
	double *key = arena_many(x->arena, double, x->blocks->n);

	for (int i = 0; i < x->blocks->n; i++)
		key[i] = -x->blocks->at[i].first;
	int *list = order_by_key(x->arena, key, x->blocks->n);

	*n = 0;
	for (int i = 0; i < x->blocks->n; i++)
		if (x->blocks->at[list[i]].rects.n)
			list[(*n)++] = list[i];
	return list;
}

enum stack_answer stack_blocks(struct arena *scratch, const struct plan_blocks *b, int64_t limit,
			       enum stack_rank rank, struct stack_effort effort, int64_t *offset)
{
	int nsections = b->problem->nsections;
	struct stacking x = { .arena = scratch, .blocks = b, .effort = effort, .limit = limit };
	int n;
	const int *list = blocks_by_begin(&x, &n);

	if (n > MAX_STACKED)
		return STACK_OPEN;
	size_t room = (size_t)n * (size_t)(n + 1) / 2;

	x.floor = arena_many(scratch, int64_t, nsections);
	x.rest = arena_memdup(scratch, b->load, (size_t)nsections * sizeof(*b->load));
	x.least = arena_many(scratch, int64_t, nsections);
	x.offset = memset(offset, 0, (size_t)b->n * sizeof(*offset));
	x.candidates = arena_raw(scratch, room * sizeof(*x.candidates));
	x.lists = arena_raw(scratch, room * sizeof(*x.lists));
	find_ranks(&x, rank);
	if (solve(&x, list, n, (struct stack_top){ 0, -1 }))
		return STACK_FOUND;
	return x.stopped ? STACK_OPEN : STACK_NONE;
}
