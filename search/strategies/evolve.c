/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/evolve.c - a population of decisions, varied, ranked by a model, measured, learned from.
 *
 * Before anything was measured the model is an analytic prior, and half of the batch one candidate of each sketch and
 * axis of its vectors, algorithms and axes in turns. Each batch takes the best of the last generation that differ from
 * each other, and a share of random ones, so that the model also sees what it thinks little of. */
#include <string.h>

#include "search/strategies/generations.h"
#include "search/strategies/pick.h"
#include "search/strategies/strategy.h"
#include "search/space/vary.h"

/* A larger population is led further by what the model has wrong: of what was found at all, 576 found 0.69 with 16
 * trials and 0.91 with 64, 192 found 0.84 and 0.93, 96 found 0.88 and 0.97 (docs/performance.md). Without a share of
 * random ones the model never hears of what it thinks little of. */
enum { POPULATION = 96, GENERATIONS = 4, ELITE = 12 };
#define RANDOM_SHARE 0.1
/* After so many trials without gain half of a batch goes one decision at a time from the best. */
enum { SLOW = 16, DESCEND_FROM = 4 };
/* Half of the first batch is of sketches that differ, so many of each looked at, and so many changes of what is taken:
 * what the prior thinks of a whole sketch is wrong more often than what it thinks of two of one. In
 * thirteen pairs of campaigns of two transposed convolutions, 64 trials, the best is 1.03 times as fast for it
 * (docs/performance.md). */
enum { DRAFTED = 16, IMPROVED = 48 };

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
	pick_score(p, a, out, n);
	pick_sort(out, n);
	return n;
}

/* The derivation of S at *I or behind it, and *I behind that; NULL: none. */
static const struct step *next_derivation(const struct sketch *s, int *i)
{
	while (*i < s->steps.n) {
		const struct step *step = &s->steps.at[(*i)++].step;

		if (step->kind == STEP_DERIVE)
			return step;
	}
	return NULL;
}

static bool same_algorithm(const struct sketch *x, const struct sketch *y)
{
	const struct step *a, *b;
	int i = 0, j = 0;

	do {
		a = next_derivation(x, &i);
		b = next_derivation(y, &j);
		if (!a != !b || (a && !step_equal(a, b)))
			return false;
	} while (a);
	return true;
}

/* The same algorithm along the same lanes: what the prior thinks of two of a kind is right more often than what it
 * thinks of a whole kind. */
static bool same_kind(const struct problem *p, const struct candidate *x, const struct candidate *y)
{
	return strcmp(x->lanes, y->lanes) == 0 &&
	       same_algorithm(p->sketches.at[x->genes.sketch], p->sketches.at[y->genes.sketch]);
}

/* Orders ALL, best first, so that kinds take turns: the best of each, then the second of each. */
static void take_turns(const struct problem *p, struct arena *a, struct candidate *all, int n)
{
	struct candidate *ordered = arena_many(a, struct candidate, n);
	int *turn = arena_many(a, int, n), done = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			turn[i] += same_kind(p, &all[i], &all[j]);
	for (int t = 0; done < n; t++)
		for (int i = 0; i < n; i++)
			if (turn[i] == t)
				ordered[done++] = all[i];
	memcpy(all, ordered, sizeof(*all) * (size_t)n);
}

/* Of each sketch the best of a few along each axis, kinds in turns; returns how many there are, at most MOST. */
static int draft(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b, struct candidate *out,
		 int most)
{
	int n = 0;

	for (int i = 0; i < p->sketches.n; i++) {
		struct candidate some[DRAFTED];
		int m = 0;

		for (int j = 0; j < DRAFTED; j++)
			if (candidate_grow(p, a, rng, i, NULL, &some[m]))
				m++;
			else
				b->refused++;
		pick_score(p, a, some, m);
		pick_sort(some, m);
		for (int j = 0; j < m && n < most; j++) {
			bool first = true;

			for (int k = 0; k < j; k++)
				first &= !same_kind(p, &some[k], &some[j]);
			if (first)
				out[n++] = some[j];
		}
	}
	pick_sort(out, n);
	take_turns(p, a, out, n);
	return n;
}

/* Goes up from C, one change at a time, among its kind: a kind is judged by one of its better ones. */
static void improve(const struct problem *p, struct arena *a, struct rng *rng, struct candidate *c)
{
	for (int i = 0; i < IMPROVED; i++) {
		struct genes g = mutate(a, &c->genes, p->sketches.at[c->genes.sketch], rng);
		struct candidate other;

		if (!candidate_grow(p, a, rng, c->genes.sketch, &g, &other) || !same_kind(p, c, &other))
			continue;
		pick_score(p, a, &other, 1);
		if (other.score > c->score)
			*c = other;
	}
}

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	struct candidate *all = arena_many(a, struct candidate, 2 * POPULATION);
	int until = b->cap - (int)((double)b->cap * RANDOM_SHARE + rng_unit(rng));

	if (p->history->trials + p->ahead == 0) {
		int drafted = draft(p, a, rng, b, all, 2 * POPULATION);

		for (int i = 0; i < drafted && i < until / 2; i++)
			improve(p, a, rng, &all[i]);
		pick_distinct(p, a, all, drafted, until / 2, b);
	}
	if (p->history->since_gain >= SLOW)
		pick_distinct(p, a, all, descend(p, a, rng, all), until / 2, b);
	int elite = pick_fastest(p, a, rng, ELITE, all);
	int n = generations_run(p, a, rng, (struct generations){ POPULATION, GENERATIONS }, all,
				elite, &b->refused);

	pick_distinct(p, a, all, n, until, b);
	pick_random(p, a, rng, b);
}

const struct strategy strategy_evolve = {
	.name = "evolve",
	.summary = "evolution guided by a model of gradient-boosted trees",
	.model = &cost_model_xgboost,
	.propose = propose,
};
