/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/pick.c - order, distance and chance. */
#include "search/strategies/pick.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "search/strategies/component.h"

/* Scores nearer than this, or fewer decisions that differ, make two candidates alike. On the
 * recorded tasks evolution without alike ones in a batch needs half the trials. */
#define ALIKE_SCORE 1e-3f

/* A batch, and those that are bred, are of so many niches at least (search/space/genes/genes.h), each of which has so many. */
enum { NICHES = 4, LEAST_OF_NICHE = 2 };

enum {
	ALIKE_DISTANCE = 2,
	MAX_TRIES = 40,		/* random samples for one that fits together */
	MAX_SEEN = 20,		/* random candidates for each place of a batch */
};

void pick_score(const struct problem *p, struct arena *a, struct candidate *all, int n)
{
	struct feature_matrix *m = arena_many(a, struct feature_matrix, n);
	float *scores = arena_many(a, float, n);

	for (int i = 0; i < n; i++)
		m[i] = all[i].features;
	if (p->learner)
		learner_score(p->learner, p->group, m, n, scores);
	for (int i = 0; i < n && !p->learner; i++)
		scores[i] = prior_score(&m[i]);
	for (int i = 0; i < n; i++)
		all[i].score = scores[i];
}

static uint64_t niche_of(const struct problem *p, const struct genes *g)
{
	return genes_niche(g, p->sketches.at[g->sketch]);
}

/* How many of ALL are of NICHE. */
static int count_niche(const struct problem *p, const struct candidate *all, int n, uint64_t niche)
{
	int same = 0;

	for (int i = 0; i < n; i++)
		same += all[i].genes.n > 0 && niche_of(p, &all[i].genes) == niche;
	return same;
}

/* May another one with G come beside N of ALL, of MOST? */
static bool has_niche(const struct problem *p, const struct candidate *all, int n, int most, const struct genes *g)
{
	uint64_t niche = problem_has(p, COMPONENT_NICHES) ? niche_of(p, g) : 0;

	return niche == 0 ||
	       count_niche(p, all, n, niche) < (most < NICHES * LEAST_OF_NICHE ? LEAST_OF_NICHE : most / NICHES);
}

int pick_fastest(const struct problem *p, struct arena *a, struct rng *rng, int most,
		 struct candidate *out)
{
	int n = 0;

	for (int i = 0; i < p->history->n_best && n < most; i++) {
		const struct genes *g = &p->history->best[i].genes;

		if (has_niche(p, out, n, most, g))
			n += candidate_grow(p, a, rng, g->sketch, g, &out[n]);
	}
	return n;
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

void pick_sort(struct candidate *all, int n)
{
	qsort(all, (size_t)n, sizeof(*all), by_score);
}

static bool is_distinct(const struct batch *b, const struct candidate *c)
{
	for (int i = 0; i < b->n; i++)
		if (fabsf(b->at[i].score - c->score) <= ALIKE_SCORE * c->score ||
		    genes_distance(&b->at[i].genes, &c->genes) < ALIKE_DISTANCE)
			return false;
	return true;
}

bool pick_fits(const struct problem *p, const struct candidate *c, const struct batch *b)
{
	return !history_has(p->history, c->steps) && (!problem_has(p, COMPONENT_DISTINCT) || is_distinct(b, c)) &&
	       has_niche(p, b->at, b->n, b->cap, &c->genes);
}

bool pick_one(const struct problem *p, struct arena *a, const struct candidate *c, struct batch *b)
{
	return pick_fits(p, c, b) && batch_add(p, a, b, c);
}

bool pick_again(const struct problem *p, struct arena *a, struct rng *rng, const struct candidate *c, struct batch *b)
{
	struct candidate again;

	if (!pick_fits(p, c, b) || !candidate_grow(p, a, rng, c->genes.sketch, &c->genes, &again))
		return false;
	again.score = c->score;
	return pick_one(p, a, &again, b);
}

void pick_distinct(const struct problem *p, struct arena *a, const struct candidate *all, int n,
		   int upto, struct batch *b)
{
	for (int i = 0; i < n && b->n < upto; i++)
		pick_one(p, a, &all[i], b);
}

void pick_random(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	for (int i = 0; i < MAX_SEEN * b->cap && b->n < b->cap; i++) {
		struct candidate one;

		if (!candidate_random(p, a, rng, MAX_TRIES, &b->refused, &one))
			return;
		pick_score(p, a, &one, 1);
		batch_add(p, a, b, &one);
	}
}
