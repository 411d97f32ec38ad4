/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/place.c - the gaps for a block, and the one that it gets. */
#include "runtime/plan/place.h"

#include <stdlib.h>

/* Offsets that the block cannot have: what is between these two. */
struct plan_taboo {
	int64_t low, high;
};

static int by_low(const void *x, const void *y)
{
	const struct plan_taboo *a = x, *b = y;

	return (a->low > b->low) - (a->low < b->low);
}

static int find_taboos(const struct placing *x, const struct plan_block *b)
{
	int n = 0;

	for (int i = 0; i < b->edges.n; i++) {
		const struct plan_edge *e = &b->edges.at[i];
		int64_t o = x->offset[e->other];

		if (o != PLACE_NONE && o + e->high > 0)
			x->taboo[n++] = (struct plan_taboo){ o + e->low, o + e->high };
	}
	qsort(x->taboo, (size_t)n, sizeof(*x->taboo), by_low);
	return n;
}

static int64_t find_place(const struct placing *x, const struct plan_block *b, enum plan_fit fit)
{
	int n = find_taboos(x, b);
	int64_t begin = 0;	/* of the gap at hand */
	int64_t best = PLACE_NONE, best_room = INT64_MAX;

	for (int i = 0; i < n; i++) {
		const struct plan_taboo *t = &x->taboo[i];

		if (t->low >= begin) {
			if (fit == FIT_FIRST)
				return begin;
			if (t->low - begin < best_room) {
				best = begin;
				best_room = t->low - begin;
			}
		}
		if (t->high > begin)
			begin = t->high;
	}
	return best == PLACE_NONE ? begin : best;
}

struct placing placing_new(struct arena *a, const struct plan_blocks *b)
{
	int most = 0;

	for (int i = 0; i < b->n; i++)
		if (b->at[i].edges.n > most)
			most = b->at[i].edges.n;
	return (struct placing){ b, arena_many(a, int64_t, b->n),
				 arena_many(a, struct plan_taboo, most) };
}

int64_t place_all(struct placing *x, const int *order, enum plan_fit fit)
{
	int64_t bytes = 0;

	for (int i = 0; i < x->blocks->n; i++)
		x->offset[i] = PLACE_NONE;
	for (int i = 0; i < x->blocks->n; i++) {
		const struct plan_block *b = &x->blocks->at[order[i]];
		int64_t o = find_place(x, b, fit);

		x->offset[order[i]] = o;
		if (o + b->bytes > bytes)
			bytes = o + b->bytes;
	}
	return bytes;
}
