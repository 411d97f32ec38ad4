/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/arranged.c - draws arrangements; moves data element by element, by definition. */
#include "tests/property/arranged.h"

#include "te/eval.h"

/* Of tensors that are stored as they are; of dims that are stored in blocks. */
#define PLAIN_SHARE   0.3
#define BLOCKED_SHARE 0.4

/* A divisor of EXTENT above 1; 1 where there is none. */
static int64_t random_divisor(struct rng *r, int64_t extent)
{
	int64_t divisor = 1;
	int seen = 0;

	for (int64_t v = 2; v <= extent; v++)
		if (extent % v == 0 && rng_below(r, ++seen) == 0)
			divisor = v;
	return divisor;
}

static void insert(struct arrangement *how, struct rng *r, struct stored_dim dim)
{
	int at = (int)rng_below(r, how->n + 1);

	memmove(&how->at[at + 1], &how->at[at], (size_t)(how->n - at) * sizeof(dim));
	how->at[at] = dim;
	how->n++;
}

static struct arrangement random_arrangement(struct rng *r, const struct tensor *t)
{
	struct arrangement how = { 0 };

	if (rng_chance(r, PLAIN_SHARE))
		return how;
	for (int d = 0; d < t->ndim; d++) {
		int64_t block = random_divisor(r, t->shape[d]);

		insert(&how, r, (struct stored_dim){ d, 0 });
		if (block > 1 && how.n + t->ndim - d <= TENSOR_MAX_DIMS &&
		    rng_chance(r, BLOCKED_SHARE))
			insert(&how, r, (struct stored_dim){ d, block });
	}
	return how;
}

struct arrangement *random_arrangements(struct arena *a, struct rng *r, const struct dag *d)
{
	struct arrangement *how = arena_many(a, struct arrangement, dag_arg_count(d));

	for (int i = 0; i < dag_arg_count(d); i++)
		how[i] = random_arrangement(r, &dag_arg_op(d, i)->tensor);
	return how;
}

void store_arranged(const struct arrangement *how, const struct tensor *t, const void *plain,
		    void *stored)
{
	size_t size = dtype_bytes(t->dtype);
	int64_t block[TENSOR_MAX_DIMS] = { 0 };

	for (int i = 0; i < how->n; i++)
		if (how->at[i].block)
			block[how->at[i].dim] = how->at[i].block;
	for (int64_t i = 0; i < tensor_count(t); i++) {
		int64_t index[TENSOR_MAX_DIMS], rest = i, at = how->n ? 0 : i;

		for (int d = t->ndim - 1; d >= 0; d--) {
			index[d] = rest % t->shape[d];
			rest /= t->shape[d];
		}
		for (int k = 0; k < how->n; k++) {
			const struct stored_dim *s = &how->at[k];
			int64_t place = index[s->dim];

			if (block[s->dim])
				place = s->block ? place % s->block : place / block[s->dim];
			at = at * arrangement_extent(how, t, k) + place;
		}
		memcpy((char *)stored + (size_t)at * size, (const char *)plain + (size_t)i * size,
		       size);
	}
}
