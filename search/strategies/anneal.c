/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/anneal.c - simulated annealing on a learned model: what AutoTVM does (Chen et al. 2018,
 * "Learning to Optimize Tensor Programs"), as something to compare with.
 *
 * Chains begin at the fastest that were measured and at random ones. A move takes back a decision
 * or two; one that the model likes less is taken all the same, ever less often as the chain cools.
 * The batch is the best of all states that were visited, and a few random ones. */
#include <math.h>

#include "search/strategies/pick.h"
#include "search/strategies/strategy.h"
#include "search/space/genes/vary.h"

/* AutoTVM has 128 chains of 500 moves and features that cost less; these look at as many
 * candidates a round as `evolve` does, so that what is compared is the way they are chosen. */
enum { CHAINS = 64, MOVES = 11, ELITE = 24, MAX_TRIES = 40 };
/* Of the difference of two scores' logarithms: at first something half as fast is taken with a
 * chance of a quarter, at last never. Linear, as AutoTVM has it. */
#define HOT 0.5
/* Of a batch, AutoTVM's epsilon. */
#define RANDOM_SHARE 0.05

static int start(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b,
		 struct candidate *out)
{
	int n = pick_fastest(p, a, rng, ELITE, out);

	while (n < CHAINS && candidate_random(p, a, rng, MAX_TRIES, &b->refused, &out[n]))
		n++;
	pick_score(p, a, out, n);
	return n;
}

/* A neighbour of FROM; FROM itself where none fits together. */
static struct candidate neighbour(const struct problem *p, struct arena *a, struct rng *rng,
				  const struct candidate *from)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		const struct sketch *sketch = p->sketches.at[from->genes.sketch];
		struct genes g = mutate(a, &from->genes, sketch, rng);
		struct candidate to;

		if (candidate_grow(p, a, rng, from->genes.sketch, &g, &to))
			return to;
	}
	return *from;
}

static bool accepts(struct rng *rng, const struct candidate *from, const struct candidate *to,
		    double heat)
{
	double gain = log((double)to->score / (double)from->score);

	return gain >= 0 || (heat > 0 && rng_chance(rng, exp(gain / heat)));
}

/* All states that were visited; ALL has room for them, the chains' first states come first.
 * Returns how many. */
static int anneal(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b,
		  struct candidate *all)
{
	int chains = start(p, a, rng, b, all);
	struct candidate *at = arena_memdup(a, all, (size_t)chains * sizeof(*all));

	for (int move = 0; move < MOVES; move++) {
		struct candidate *next = &all[(move + 1) * chains];

		for (int i = 0; i < chains; i++)
			next[i] = neighbour(p, a, rng, &at[i]);
		pick_score(p, a, next, chains);
		for (int i = 0; i < chains; i++)
			if (accepts(rng, &at[i], &next[i], HOT * (1 - (move + 1.0) / MOVES)))
				at[i] = next[i];
	}
	return chains * (MOVES + 1);
}

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	struct candidate *all = arena_many(a, struct candidate, CHAINS * (MOVES + 1));
	int random = (int)((double)b->cap * RANDOM_SHARE + rng_unit(rng));
	int n = anneal(p, a, rng, b, all);

	pick_sort(all, n);
	pick_distinct(p, a, all, n, b->cap - random, b);
	pick_random(p, a, rng, b);
}

const struct strategy strategy_anneal = {
	.name = "anneal",
	.summary = "simulated annealing guided by a model of gradient-boosted trees",
	.model = &cost_model_xgboost,
	.propose = propose,
};
