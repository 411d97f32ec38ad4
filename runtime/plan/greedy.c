/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/greedy.c - blocks by falling keys. */
#include "runtime/plan/greedy.h"

/* Bytes of all that B is alive with. */
static double crowd_of(const struct plan_blocks *blocks, const struct plan_block *b)
{
	double sum = 0;

	for (int i = 0; i < b->edges.n; i++)
		sum += (double)blocks->at[b->edges.at[i].other].bytes;
	return sum;
}

/* The most that is alive in a section of B. */
static double load_of(const struct plan_blocks *blocks, const struct plan_block *b)
{
	int64_t most = 0;

	for (int s = b->first; s <= b->last; s++)
		if (blocks->load[s] > most)
			most = blocks->load[s];
	return (double)most;
}

struct greedy_order {
	const char *name;
	double (*key)(const struct plan_blocks *blocks, const struct plan_block *b);
};

#define X(name, key)                                                                               \
	static double key_##name(const struct plan_blocks *blocks, const struct plan_block *B)     \
	{                                                                                          \
		(void)blocks;                                                                      \
		return (double)(key);                                                              \
	}
#include "runtime/plan/orders.def"
#undef X

static const struct greedy_order orders[] = {
#define X(name, key) { #name, key_##name },
#include "runtime/plan/orders.def"
#undef X
};

static const char *const fit_names[] = { [FIT_FIRST] = "first", [FIT_BEST] = "best" };

enum {
	NORDERS = sizeof(orders) / sizeof(*orders),
	NFITS = sizeof(fit_names) / sizeof(*fit_names),
};

int greedy_count(void)
{
	return NORDERS * NFITS;
}

int64_t greedy_place(struct arena *scratch, struct placing *x, int i)
{
	int n = x->blocks->n;
	double *key = arena_many(scratch, double, n);

	for (int j = 0; j < n; j++)
		key[j] = orders[i / NFITS].key(x->blocks, &x->blocks->at[j]);
	return place_all(x, order_by_key(scratch, key, n), i % NFITS);
}

const char *greedy_name(struct arena *a, int i)
{
	return arena_printf(a, "%s, %s fit", orders[i / NFITS].name, fit_names[i % NFITS]);
}
