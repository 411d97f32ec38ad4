/* SPDX-License-Identifier: Apache-2.0 */
/* search/evolve.c - a population of decisions, varied, ranked by a model, measured, learned from.
 *
 * Before anything was measured the model is an analytic prior. Each batch takes the best of the
 * last generation that differ from each other, and a share of random ones, so that the model
 * also sees what it thinks little of. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "search/strategy.h"
#include "search/vary.h"

/* Chosen on the recorded tasks: larger populations and more generations take time and find the
 * same; without a share of random ones the model never hears of what it thinks little of. */
enum { POPULATION = 192, GENERATIONS = 3, PARENTS = 48, ELITE = 12, MAX_TRIES = 40 };
#define RANDOM_SHARE 0.1
#define MUTATION 0.7
/* Scores nearer than this, or fewer decisions that differ, make two candidates alike. On the
 * recorded tasks batches without alike ones get to random search's best of 1000 in half the
 * trials. */
#define ALIKE_SCORE 1e-3f
enum { ALIKE_DISTANCE = 2 };
/* After so many trials without gain, half of a batch goes one decision at a time from the best. */
enum { SLOW = 32, DESCEND_FROM = 4 };

static void rank(const struct problem *p, struct candidate *all, int n)
{
	struct feature_matrix m[2 * POPULATION] = { { 0 } };
	float scores[2 * POPULATION];

	for (int i = 0; i < n; i++)
		m[i] = all[i].features;
	learner_score(p->learner, m, n, scores);
	for (int i = 0; i < n; i++)
		all[i].score = scores[i];
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	/* In no order that means anything, so that a batch is not all of a kind; but the same one
	 * on every machine. */
	struct hash128 h = hash_bytes(x->steps, strlen(x->steps));
	struct hash128 i = hash_bytes(y->steps, strlen(y->steps));

	return (h.lo > i.lo) - (h.lo < i.lo);
}

/* The fastest that were measured come back into the population. */
static int add_elite(const struct problem *p, struct arena *a, struct rng *rng,
		     struct candidate *out)
{
	int n = 0;

	for (int i = 0; i < p->history->n_best && i < ELITE; i++) {
		const struct genes *g = &p->history->best[i].genes;

		n += candidate_grow(p, a, rng, g->sketch, g, &out[n]);
	}
	return n;
}

/* A parent: the better of two of the best PARENTS. */
static const struct candidate *choose(const struct candidate *all, int n, struct rng *rng)
{
	int best = n < PARENTS ? n : PARENTS;
	int64_t i = rng_below(rng, best), j = rng_below(rng, best);

	return &all[i < j ? i : j];
}

static bool breed(const struct problem *p, struct arena *a, struct rng *rng,
		  const struct candidate *all, int n, struct candidate *out)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		const struct genes *mother = &choose(all, n, rng)->genes;
		const struct genes *father = &choose(all, n, rng)->genes;
		const struct sketch *sketch = p->sketches.at[mother->sketch];
		bool mutates = rng_chance(rng, MUTATION) || mother->sketch != father->sketch;
		struct genes g = mutates ? mutate(a, mother, sketch, rng)
					 : cross(a, mother, father, sketch, rng);

		if (candidate_grow(p, a, rng, mother->sketch, &g, out))
			return true;
	}
	return false;
}

/* The last generation, best first, parents and children together. Returns how many. */
static int evolve(const struct problem *p, struct arena *a, struct rng *rng,
		  struct candidate *all, int *refused)
{
	int n = add_elite(p, a, rng, all);

	while (n < POPULATION && candidate_random(p, a, rng, MAX_TRIES, refused, &all[n]))
		n++;
	rank(p, all, n);
	qsort(all, (size_t)n, sizeof(*all), by_score);
	for (int g = 0; g < GENERATIONS && n > 0; g++) {
		int parents = n < POPULATION ? n : POPULATION;

		n = parents;
		while (n < 2 * POPULATION && breed(p, a, rng, all, parents, &all[n]))
			n++;
		rank(p, all, n);
		qsort(all, (size_t)n, sizeof(*all), by_score);
	}
	return n;
}

/* Coordinate descent: what is one decision away from the fastest. Best first; returns how many. */
static int descend(const struct problem *p, struct arena *a, struct rng *rng,
		   struct candidate *out)
{
	int n = 0;

	for (int i = 0; i < p->history->n_best && i < DESCEND_FROM; i++) {
		const struct genes *g = &p->history->best[i].genes;
		const struct sketch *sketch = p->sketches.at[g->sketch];

		for (int j = 0; j < g->n && n < 2 * POPULATION; j++) {
			if (sketch->steps.at[j].role == ROLE_FIXED)
				continue;
			struct genes other = genes_without(a, g, j);

			n += candidate_grow(p, a, rng, g->sketch, &other, &out[n]);
		}
	}
	rank(p, out, n);
	qsort(out, (size_t)n, sizeof(*out), by_score);
	return n;
}

/* --- the batch */

/* A batch of one kind would teach the model nothing. */
static bool is_distinct(const struct batch *b, const struct candidate *c)
{
	for (int i = 0; i < b->n; i++)
		if (fabsf(b->at[i].score - c->score) <= ALIKE_SCORE * c->score ||
		    genes_distance(&b->at[i].genes, &c->genes) < ALIKE_DISTANCE)
			return false;
	return true;
}

/* Fills B up to UNTIL with the first that differ. */
static void take(const struct problem *p, struct arena *a, struct batch *b, int until,
		 const struct candidate *all, int n)
{
	for (int i = 0; i < n && b->n < until; i++)
		if (is_distinct(b, &all[i]))
			batch_add(p, a, b, &all[i]);
}

static void take_random(const struct problem *p, struct arena *a, struct rng *rng,
			struct batch *b)
{
	for (int i = 0; i < 20 * b->cap && b->n < b->cap; i++) {
		struct candidate one;

		if (!candidate_random(p, a, rng, MAX_TRIES, &b->refused, &one))
			break;
		rank(p, &one, 1);
		batch_add(p, a, b, &one);
	}
}

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	struct candidate *all = arena_many(a, struct candidate, 2 * POPULATION);
	int until = b->cap - (int)((double)b->cap * RANDOM_SHARE + rng_unit(rng));

	if (p->history->since_gain >= SLOW)
		take(p, a, b, until / 2, all, descend(p, a, rng, all));
	take(p, a, b, until, all, evolve(p, a, rng, all, &b->refused));
	take_random(p, a, rng, b);
}

const struct strategy strategy_evolve = {
	.name = "evolve",
	.summary = "evolution guided by a model of gradient-boosted trees",
	.model = &cost_model_xgboost,
	.propose = propose,
};
