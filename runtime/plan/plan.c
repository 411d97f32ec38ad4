/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/plan.c - greedy orders, then the search, until the bound is met or time is over. */
#include "runtime/plan/plan.h"

#include "base/clock.h"
#include "runtime/plan/greedy.h"
#include "runtime/plan/reorder.h"
#include "runtime/plan/stack.h"

/* The search goes in rounds: each has EFFORT_GROWTH times the nodes of the one before for each choice
 * of takers, and as many more of these choices. */
enum { FIRST_NODES = 500, EFFORT_GROWTH = 4 };

struct planner {
	struct arena *arena;		/* of the result */
	struct arena *held;		/* of the planner: the problem */
	struct arena *scratch;		/* of one choice of takers */
	struct plan_problem problem;
	int *idle;			/* room for all takers */
	bool partial;			/* orders are not all that there is for some choice */
	struct memory_plan *best;
	double deadline;		/* of clock_s() */
};

static bool is_at_bound(const struct planner *p)
{
	return p->best->bytes <= p->best->bound;
}

/* Keeps OFFSETS of the blocks B, which take BYTES, where that is the least up to now. */
static void offer(struct planner *p, const struct plan_blocks *b, const int64_t *offset,
		  int64_t bytes, const char *order)
{
	if ((size_t)bytes >= p->best->bytes)
		return;
	for (int i = 0; i < p->problem.n; i++)
		p->best->offset[i] = (size_t)(offset[b->block_of[i]] + b->within[i]);
	p->best->bytes = (size_t)bytes;
	p->best->order = order;
}

/* Each block behind the one before: always a plan. */
static void place_apart(struct planner *p, const struct plan_blocks *b)
{
	int64_t *offset = arena_many(p->scratch, int64_t, b->n);
	int64_t bytes = 0;

	for (int i = 0; i < b->n; i++) {
		offset[i] = bytes;
		bytes += b->at[i].bytes;
	}
	offer(p, b, offset, bytes, "apart");
}

/* The blocks where all takers take, or none. */
static struct plan_blocks *blocks_of(struct planner *p, bool take)
{
	bool *taken = arena_many(p->scratch, bool, p->problem.ntakers);

	memset(taken, take, (size_t)p->problem.ntakers * sizeof(*taken));
	return plan_blocks(p->scratch, &p->problem, taken);
}

static void try_greedy(struct planner *p, bool take)
{
	struct plan_blocks *b = blocks_of(p, take);

	place_apart(p, b);
	if (plan_edges(p->scratch, b)) {
		struct placing x = placing_new(p->scratch, b);

		for (int i = 0; i < greedy_count() && !is_at_bound(p); i++) {
			int64_t bytes = greedy_place(p->scratch, &x, i);

			offer(p, b, x.offset, bytes, greedy_name(p->arena, i));
			if (clock_s() > p->deadline)
				break;
		}
	}
	arena_reset(p->scratch);
}

/* The choices of takers, those first in which the fewest do not take. */
struct choosing {
	int *idle;		/* places in the problem's takers, ascending */
	int nidle, n;
};

static bool next_choice(struct choosing *c)
{
	int i = c->nidle - 1;

	while (i >= 0 && c->idle[i] == c->n - c->nidle + i)
		i--;
	if (i < 0) {
		if (c->nidle == c->n)
			return false;
		c->nidle++;
	} else {
		c->idle[i]++;
	}
	for (i++; i < c->nidle; i++)
		c->idle[i] = i ? c->idle[i - 1] + 1 : 0;
	return true;
}

static int64_t highest_load(const struct plan_blocks *b)
{
	int64_t most = 0;

	for (int i = 0; i < b->problem->nsections; i++)
		if (b->load[i] > most)
			most = b->load[i];
	return most;
}

/* A plan within LIMIT where all take but those that are idle in C. What is found is offered. */
static enum stack_answer try_choice(struct planner *p, const struct choosing *c, int64_t limit,
				    struct stack_effort effort)
{
	bool *taken = arena_many(p->scratch, bool, c->n);
	enum stack_answer answer = STACK_NONE;

	memset(taken, true, (size_t)c->n * sizeof(*taken));
	for (int i = 0; i < c->nidle; i++)
		taken[c->idle[i]] = false;
	struct plan_blocks *b = plan_blocks(p->scratch, &p->problem, taken);
	int64_t *offset = arena_many(p->scratch, int64_t, b->n);
	bool fits = highest_load(b) <= limit;

	for (int rank = 0; fits && rank < RANK_COUNT; rank++) {
		answer = stack_blocks(p->scratch, b, limit, rank, effort, offset);
		if (answer != STACK_OPEN)
			break;
	}
	if (answer == STACK_FOUND) {
		int64_t bytes = 0;

		for (int i = 0; i < b->n; i++)
			if (offset[i] + b->at[i].bytes > bytes)
				bytes = offset[i] + b->at[i].bytes;
		offer(p, b, offset, bytes, "stacked");
	}
	p->partial |= answer == STACK_NONE && fits && !b->flat;
	arena_reset(p->scratch);
	return answer;
}

/* A plan within LIMIT bytes, until DEADLINE. */
static enum stack_answer search_below(struct planner *p, int64_t limit, double deadline)
{
	int64_t nodes = FIRST_NODES;

	for (int64_t most = 1;; most *= EFFORT_GROWTH, nodes *= EFFORT_GROWTH) {
		struct choosing c = { .idle = p->idle, .n = p->problem.ntakers };
		bool open = false;
		int64_t left = most;

		do {
			struct stack_effort effort = { nodes, deadline };
			enum stack_answer answer = try_choice(p, &c, limit, effort);

			if (answer == STACK_FOUND)
				return STACK_FOUND;
			if (clock_s() > deadline)
				return STACK_OPEN;
			open |= answer == STACK_OPEN;
		} while (next_choice(&c) && --left);
		if (!open && left)
			return STACK_NONE;
	}
}

/* From the order of the blocks on, where all take. */
static void try_reorder(struct planner *p)
{
	struct plan_blocks *b = blocks_of(p, true);

	if (plan_edges(p->scratch, b)) {
		struct placing x = placing_new(p->scratch, b);
		double *key = arena_many(p->scratch, double, b->n);
		int *order = order_by_key(p->scratch, key, b->n);
		int64_t bytes = reorder(&x, order, (int64_t)p->best->bound, p->deadline);

		offer(p, b, x.offset, bytes, "reordered");
	}
	arena_reset(p->scratch);
}

/* Halves what is between the bound and the best plan until nothing is, or DEADLINE; the time for a
 * step is half of what is left. */
static void search(struct planner *p, double deadline)
{
	int64_t limit = (int64_t)p->best->bound, missed = 0;
	bool proved = false;	/* that no plan is within MISSED bytes */

	while (!is_at_bound(p) && (int64_t)p->best->bytes > missed + PLAN_ALIGN &&
	       clock_s() < deadline) {
		enum stack_answer answer = search_below(p, limit,
							(clock_s() + deadline) / 2);

		if (answer != STACK_FOUND) {
			missed = limit;
			proved = answer == STACK_NONE && !p->partial;
		}
		limit = (missed + (int64_t)p->best->bytes) / 2 / PLAN_ALIGN * PLAN_ALIGN;
	}
	p->best->optimal = proved && (int64_t)p->best->bytes <= missed + PLAN_ALIGN;
}

int plan_memory(struct arena *a, const struct plan_buffer *buffers, int n, double seconds,
		struct memory_plan *out)
{
	double begin = clock_s();
	struct planner p = { .arena = a, .held = arena_new(), .scratch = arena_new(), .best = out,
			     .deadline = begin + seconds };
	int rc = plan_problem(p.held, buffers, n, &p.problem);

	if (rc == 0) {
		*out = (struct memory_plan){ .offset = arena_many(a, size_t, n), .bytes = SIZE_MAX,
					     .bound = (size_t)p.problem.bound };
		p.idle = arena_many(p.held, int, p.problem.ntakers);
		try_greedy(&p, true);
		try_greedy(&p, false);
		if (!is_at_bound(&p))
			search(&p, begin + seconds / 2);
		if (!is_at_bound(&p) && !out->optimal)
			try_reorder(&p);
		out->optimal |= is_at_bound(&p);
		out->seconds = clock_s() - begin;
	}
	arena_free(p.scratch);
	arena_free(p.held);
	return rc;
}
