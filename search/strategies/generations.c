/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/generations.c - selection, mutation and crossover. */
#include "search/strategies/generations.h"

#include "search/strategies/component.h"
#include "search/strategies/pick.h"
#include "search/space/genes/vary.h"

/* Chosen on the recorded tasks, as the sizes in search/strategies/evolve.c: a quarter of a population are parents. */
enum { PARENTS_SHARE = 4, MAX_TRIES = 40 };
#define MUTATION 0.7
/* Scores nearer than this are of the same kernel but for what the model does not know: a population of such was all that
 * was left after a few generations. */
#define ALIKE 1e-3f

/* A parent: the better of two of the best BEST. */
static const struct candidate *choose(const struct candidate *all, int best, struct rng *rng)
{
	int64_t i = rng_below(rng, best), j = rng_below(rng, best);

	return &all[i < j ? i : j];
}

static bool breed(const struct problem *p, struct arena *a, struct rng *rng,
		  const struct candidate *all, int best, struct candidate *out)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		const struct genes *mother = &choose(all, best, rng)->genes;
		const struct genes *father = &choose(all, best, rng)->genes;
		const struct sketch *sketch = p->sketches.at[mother->sketch];
		double share = !problem_has(p, COMPONENT_MUTATION) ? 0 : problem_has(p, COMPONENT_CROSSOVER) ? MUTATION : 1;
		bool mutates = rng_chance(rng, share) || mother->sketch != father->sketch;
		struct genes g = mutates ? mutate(a, mother, sketch, rng)
					 : cross(a, mother, father, sketch, rng);

		if (candidate_grow(p, a, rng, mother->sketch, &g, out))
			return true;
	}
	return false;
}

/* Of ALL, best first, those that the model can tell from the one before; returns how many. The others go behind them. */
static int drop_alike(struct candidate *all, int n)
{
	int kept = 0;

	for (int i = 0; i < n; i++) {
		if (kept > 0 && all[i].score >= all[kept - 1].score * (1 - ALIKE))
			continue;
		struct candidate c = all[i];

		all[i] = all[kept];
		all[kept++] = c;
	}
	return kept;
}

int generations_run(const struct problem *p, struct arena *a, struct rng *rng,
		    struct generations g, struct candidate *all, int n, int *refused)
{
	while (n < g.population && candidate_random(p, a, rng, MAX_TRIES, refused, &all[n]))
		n++;
	pick_score(p, a, all, n);
	pick_sort(all, n);
	for (int i = 0; i < g.count && n > 0; i++) {
		int distinct = drop_alike(all, n);
		int parents = distinct < g.population ? distinct : g.population;
		int best = (parents + PARENTS_SHARE - 1) / PARENTS_SHARE;

		n = parents;
		while (n < 2 * g.population && breed(p, a, rng, all, best, &all[n]))
			n++;
		pick_score(p, a, all, n);
		pick_sort(all, n);
	}
	return n;
}

int generations_by_prior(struct arena *a, const struct task *t, const struct aim *aim,
			 struct generations g, struct problem *p, struct candidate **out)
{
	struct rng rng = rng_seed(0);
	int refused = 0;

	*p = (struct problem){ .task = t, .sketches = sketches_of(a, t->dag, aim), .aim = aim,
			       .describes = true, .told = told_new(a) };
	*out = arena_many(a, struct candidate, 2 * g.population);
	return generations_run(p, a, &rng, g, *out, 0, &refused);
}
