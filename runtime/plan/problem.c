/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/problem.c - sections, who may take whose bytes over, and the bound. */
#include "runtime/plan/problem.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/integer.h"

static int by_step(const void *x, const void *y)
{
	const int *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* The steps in which a buffer begins, and those behind the last of one: ascending, each once. */
static int *step_marks(struct arena *a, const struct plan_problem *p, int *nmarks)
{
	int *marks = arena_many(a, int, 2 * p->n);
	int n = 0;

	for (int i = 0; i < p->n; i++) {
		assert(p->buffers[i].first >= 0 && p->buffers[i].first <= p->buffers[i].last &&
		       p->buffers[i].last < INT_MAX);
		marks[2 * i] = p->buffers[i].first;
		marks[2 * i + 1] = p->buffers[i].last + 1;
	}
	qsort(marks, 2 * (size_t)p->n, sizeof(*marks), by_step);
	for (int i = 0; i < 2 * p->n; i++)
		if (!n || marks[i] != marks[n - 1])
			marks[n++] = marks[i];
	*nmarks = n;
	return marks;
}

static int section_at(const int *marks, int nmarks, int step)
{
	const int *mark = bsearch(&step, marks, (size_t)nmarks, sizeof(*marks), by_step);

	return (int)(mark - marks);
}

/* The last step of buffer I, or of what it is part of. */
static int last_step(const struct plan_problem *p, int i)
{
	int last = p->buffers[i].last;
	int depth = 0;

	while ((i = p->buffers[i].part_of) >= 0) {
		assert(++depth < p->n);
		if (p->buffers[i].last > last)
			last = p->buffers[i].last;
	}
	return last;
}

static void find_sections(struct arena *a, struct plan_problem *p)
{
	int nmarks;
	const int *marks = step_marks(a, p, &nmarks);

	p->nsections = nmarks ? nmarks - 1 : 0;
	p->first = arena_many(a, int, p->n);
	p->last = arena_many(a, int, p->n);
	for (int i = 0; i < p->n; i++) {
		p->first[i] = section_at(marks, nmarks, p->buffers[i].first);
		p->last[i] = section_at(marks, nmarks, last_step(p, i) + 1) - 1;
	}
}

/* Does what I is a part of begin before I is there? */
static bool whole_is_early(const struct plan_problem *p, int i)
{
	for (int whole = p->buffers[i].part_of; whole >= 0; whole = p->buffers[whole].part_of)
		if (p->first[whole] <= p->first[i])
			return true;
	return false;
}

/* Those who may take over: then nothing else of their blocks can be in the way. */
static void find_takers(struct arena *a, struct plan_problem *p)
{
	bool *fixed = arena_many(a, bool, p->n);	/* taken, or outlived by a part of it */
	bool *whole = arena_many(a, bool, p->n);

	p->takers = arena_many(a, int, p->n);
	for (int i = 0; i < p->n; i++) {
		for (int w = p->buffers[i].part_of; w >= 0; w = p->buffers[w].part_of) {
			whole[w] = true;
			fixed[w] |= p->last[i] > p->last[w];
		}
		fixed[i] |= p->buffers[i].part_of >= 0;
	}
	for (int i = 0; i < p->n; i++) {
		const struct plan_buffer *b = &p->buffers[i];
		int from = b->in_place;

		if (from < 0)
			continue;
		assert(b->bytes == p->buffers[from].bytes && b->first == p->buffers[from].last);
		if (fixed[from] || whole[i] || whole_is_early(p, i) || p->first[from] >= p->first[i])
			continue;
		fixed[from] = true;
		p->takers[p->ntakers++] = i;
	}
}

static int check_bytes(const struct plan_problem *p)
{
	size_t sum = 0;

	for (int i = 0; i < p->n; i++) {
		const struct plan_buffer *b = &p->buffers[i];
		const struct plan_buffer *whole = b->part_of < 0 ? NULL : &p->buffers[b->part_of];

		assert(!whole || (b->offset % PLAN_ALIGN == 0 && b->offset <= whole->bytes &&
				  b->bytes <= whole->bytes - b->offset));
		if (b->bytes > INT64_MAX - PLAN_ALIGN ||
		    __builtin_add_overflow(sum, bytes_up(b->bytes, PLAN_ALIGN), &sum) || sum > INT64_MAX)
			return err_set("memory plan: %d buffers are larger together than any memory",
				       p->n);
	}
	return 0;
}

/* The most that is alive in a section where whoever may take over does. */
static int64_t lower_bound(struct arena *a, const struct plan_problem *p)
{
	const struct plan_blocks *b = plan_blocks(a, p, arena_many(a, bool, p->ntakers));
	int64_t most = 0;

	for (int i = 0; i < p->ntakers; i++)
		b->load[p->first[p->takers[i]]] -=
			(int64_t)bytes_up(p->buffers[p->takers[i]].bytes, PLAN_ALIGN);
	for (int i = 0; i < p->nsections; i++)
		if (b->load[i] > most)
			most = b->load[i];
	for (int i = 0; i < b->n; i++)	/* parts whose whole has holes above them */
		if (b->at[i].bytes > most)
			most = b->at[i].bytes;
	return most;
}

int plan_problem(struct arena *a, const struct plan_buffer *buffers, int n, struct plan_problem *p)
{
	*p = (struct plan_problem){ .buffers = buffers, .n = n };
	if (check_bytes(p) < 0)
		return -1;
	find_sections(a, p);
	find_takers(a, p);
	p->bound = lower_bound(a, p);
	return 0;
}
