/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/grid.c - what the analytic prior finds alone: points of a grid of sizes, best score first.
 *
 * A point has a size for each register tile and each unrolled loop of a sketch; cache tiles, orders
 * and places are sampled. A walk visits each point once, in strides such that any stretch of it is
 * spread over all sizes; each batch takes the best of the next stretch. What was measured teaches
 * nothing but what not to measure again. */
#include <stdlib.h>

#include "schedule/lane_form.h"
#include "search/strategies/pick.h"
#include "search/strategies/strategy.h"

/* So a round looks at somewhat more candidates than one of `evolve` does; about every third point
 * makes a program. */
enum { POINTS_A_TRIAL = 128 };

/* Fibonacci's (Knuth, TAOCP 6.4): successive points lie far apart. It is odd and the numbers of
 * sizes are powers of two, so none comes twice. */
#define STRIDE UINT64_C(11400714819323198549)

static const int64_t tiles[] = { 1, 2, 3, 4, 6, 7, 8, 14 };
static const int64_t vectors[] = { 1, 2, 3, 4 };
static const int64_t turns[] = { 1, 2, 4, 8 };

/* The sizes on the grid of one role; N is 0 where the sampler decides. */
struct sizes {
	const int64_t *at;
	uint64_t n;
	int64_t unit;
};

#define SIZES(list, unit) ((struct sizes){ list, sizeof(list) / sizeof(*(list)), unit })

static struct sizes sizes_of(const struct problem *p, const struct sketch *s, int i)
{
	const struct open_step *o = &s->steps.at[i];
	const struct op *op = &s->state->stages.at[o->step.stage]->op;

	switch (o->role) {
	case ROLE_TILE:
		return SIZES(tiles, 1);
	case ROLE_TILE_VECTOR:
		return SIZES(vectors, target_lanes(p->aim->target, lane_form_bytes(op->body, op->tensor.dtype)));
	case ROLE_REDUCE:
	case ROLE_ROWS:
	case ROLE_UNROLL:
		return SIZES(turns, 1);
	default:
		return (struct sizes){ 0 };
	}
}

static uint64_t points_of(const struct problem *p, const struct sketch *s)
{
	uint64_t n = 1;

	for (int i = 0; i < s->steps.n; i++) {
		struct sizes sizes = sizes_of(p, s, i);

		if (sizes.n && n < UINT64_C(1) << 32)
			n *= sizes.n;
	}
	return n;
}

/* Sizes of point AT, a number in a mixed radix, for the sampler to follow. */
static struct genes point(const struct problem *p, struct arena *a, const struct sketch *s,
			  uint64_t at)
{
	struct genes g = { .n = s->steps.n, .at = arena_many(a, struct gene, s->steps.n) };

	for (int i = 0; i < s->steps.n; i++) {
		const struct open_step *o = &s->steps.at[i];
		struct sizes sizes = sizes_of(p, s, i);

		if (sizes.n == 0)
			continue;
		int64_t size = sizes.at[at % sizes.n] * sizes.unit;

		at /= sizes.n;
		g.at[i] = (struct gene){ .set = true, .step = o->step };
		g.at[i].step.size = size < o->extent ? size : o->extent;
	}
	return g;
}

/* The candidate at a step of the walk; what is no matter of the grid is drawn from SEED. */
static bool visit(const struct problem *p, struct arena *a, uint64_t seed, int64_t step,
		  struct candidate *out)
{
	int number = (int)(step % p->sketches.n);
	const struct sketch *s = p->sketches.at[number];
	uint64_t at = (uint64_t)(step / p->sketches.n) * STRIDE % points_of(p, s);
	struct genes g = point(p, a, s, at);
	struct rng rng = rng_seed(seed + (uint64_t)step);

	if (!candidate_grow(p, a, &rng, number, &g, out))
		return false;
	pick_score(p, a, out, 1);
	return true;
}

struct visited {
	int64_t step;
	float score;
};

static int by_score(const void *a, const void *b)
{
	const struct visited *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return (x->step > y->step) - (x->step < y->step);
}

/* Keeps scores alone: a stretch of programs would fill the memory. Returns how many make one. */
static int walk(const struct problem *p, uint64_t seed, int64_t from, int n, struct visited *out)
{
	struct arena *scratch = arena_new();
	int found = 0;

	for (int64_t step = from; step < from + n; step++) {
		struct candidate c;

		arena_reset(scratch);
		if (visit(p, scratch, seed, step, &c))
			out[found++] = (struct visited){ step, c.score };
	}
	arena_free(scratch);
	qsort(out, (size_t)found, sizeof(*out), by_score);
	return found;
}

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	uint64_t seed = rng_u64(rng);
	struct visited *all = arena_many(a, struct visited, b->cap * POINTS_A_TRIAL);
	int n = walk(p, seed, (p->history->trials + p->ahead) * POINTS_A_TRIAL,
		     b->cap * POINTS_A_TRIAL, all);

	for (int i = 0; i < n && b->n < b->cap; i++) {
		struct candidate c;

		if (visit(p, a, seed, all[i].step, &c))
			pick_distinct(p, a, &c, 1, b->cap, b);
	}
	pick_random(p, a, rng, b);
}

const struct strategy strategy_grid = {
	.name = "grid",
	.summary = "a grid of sizes, ranked by the analytic model alone",
	.model = &cost_model_analytic,
	.propose = propose,
};
