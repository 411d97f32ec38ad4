/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/evolve.c - a population of decisions, varied, ranked by a model, measured, learned from.
 *
 * Before anything was measured the model is an analytic prior, and the population begins with seeds, or else with the best of each kind
 * of a few of each sketch. Each batch is shared out among kinds (search/strategies/kinds.h), of each the best of the last
 * generation that differ from each other, and has a share of those that begin anew, which led elsewhere, and of random ones, so that the
 * model also sees what it thinks little of. */
#include <string.h>

#include "base/integer.h"
#include "search/space/genes/kind.h"
#include "search/strategies/component.h"
#include "search/strategies/generations.h"
#include "search/strategies/kinds.h"
#include "search/strategies/pick.h"
#include "search/strategies/strategy.h"
#include "search/space/genes/vary.h"

/* A larger population is led further by what the model has wrong: of what was found at all, 576 found 0.69 with 16
 * trials and 0.91 with 64, 192 found 0.84 and 0.93, 96 found 0.88 and 0.97 (docs/performance.md). Without a share of
 * random ones the model never hears of what it thinks little of: on made-up devices that the prior misleads about, four operators and
 * three recordings each, evolution's best of 64 trials took 1.02 times as long as random sampling's with a tenth of them, 0.95 with a
 * quarter, 0.94 with four tenths. */
enum { POPULATION = 96, GENERATIONS = 4, ELITE = 12 };
/* As long as nothing was heard, and later generations go on from what was measured: by the prior's own figures the best of 4
 * is up to twice as slow as the best of 16 (docs/performance.md). For a few candidates it would take longer than these. */
enum { FIRST_GENERATIONS = 16, FEW = 8 };
#define RANDOM_SHARE 0.125
/* So much begins anew: the best of a few generations of its own. A campaign that was led to a slow basin at first stayed there (of 16 to 32 channels, 3x3, 113 us
 * for 1000 trials, where others found 98 with 250): with so many of their own bests of 128 trials are 1.03 times as fast, in a tenth more time. Generations of 64 by 12
 * found no more (docs/performance.md, Beginning anew). */
#define ANEW_SHARE 0.375
enum { ANEW_POPULATION = 32, ANEW_GENERATIONS = 8 };
/* Behind so many trials the model has heard of most, and a fifth of these shares is left: with a tenth random for a quarter what 256 trials found took 0.99
 * and 0.986 of the time; with three tenths for both of these 1.019 times as long as with one (six operators, timed in turn). */
enum { EARLY_TRIALS = 64 };
#define LATER_PART 0.2
/* After so many trials without gain a quarter of a batch goes one decision at a time from the best: with half of it kinds that have more to
 * give had too few (docs/performance.md). */
enum { SLOW = 16, DESCEND_FROM = 4 };
/* Of each sketch looked at for the first batch. Chosen, not measured. */
enum { DRAFTED = 16 };

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

/* OUT, of N: with the best of SOME, best first, that are like none of these, improved; returns how many there are, at most MOST. */
static int add_unlike(const struct problem *p, struct arena *a, struct rng *rng, const struct candidate *some, int n_some,
		      bool (*is_like)(const char *kind, const char *other), struct candidate *out, int n, int most)
{
	for (int i = 0; i < n_some && n < most; i++) {
		bool seen = false;

		for (int j = 0; j < n; j++)
			seen |= is_like(some[i].kind, out[j].kind);
		if (seen)
			continue;
		out[n] = some[i];
		kinds_improve(p, a, rng, &out[n++]);
	}
	return n;
}

/* The best of a few of each sketch: of each algorithm and axis of vectors, then, where there is room, of each kind. Returns how many
 * there are, at most MOST. */
static int draft(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b, struct candidate *out,
		 int most)
{
	struct candidate *some = arena_many(a, struct candidate, DRAFTED * p->sketches.n);
	int n = 0;

	for (int i = 0; i < p->sketches.n; i++)
		for (int j = 0; j < DRAFTED; j++)
			if (candidate_grow(p, a, rng, i, NULL, &some[n]))
				n++;
			else
				b->refused++;
	pick_score(p, a, some, n);
	pick_sort(some, n);
	int drafted = add_unlike(p, a, rng, some, n, kind_is_akin, out, 0, most);

	return add_unlike(p, a, rng, some, n, kind_equal, out, drafted, most);
}

/* Grown again: the best of each kind that was measured, at most MOST. */
static int pick_kinds(const struct problem *p, struct arena *a, struct rng *rng, int most, struct candidate *out)
{
	int n = 0;

	for (int i = 0; i < p->history->n_kinds && n < most; i++) {
		const struct tried_kind *k = &p->history->kinds[i];

		n += k->best_us > 0 && candidate_grow(p, a, rng, k->best.sketch, &k->best, &out[n]);
	}
	return n;
}

/* Does B begin with what the task is fast with elsewhere: with other numbers of threads, as kin, on another machine? */
static bool is_seeded(const struct problem *p, const struct batch *b)
{
	for (int i = 0; i < p->seeds.n && b->n > 0; i++)
		if (!p->seeds.at[i].composed)
			return true;
	return false;
}

/* How many of a batch of N component C gets, whose share is SHARE at first. */
static int places(const struct problem *p, int c, double share, int n, struct rng *rng)
{
	double part = p->history->trials < EARLY_TRIALS ? 1 : LATER_PART;

	return problem_has(p, c) ? (int)(share * part * n + rng_unit(rng)) : 0;
}

/* The best new one of generations of its own, which begin with any candidates, into B. They go by the prior: the model would lead them to what it has
 * heard of. False where there is none. */
static bool begin_anew(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	struct arena *scratch = arena_new();	/* a batch may end so, and most of them are of no more use */
	struct candidate *all = arena_many(scratch, struct candidate, 3 * POPULATION);
	struct problem by_prior = *p;
	bool taken = false;

	by_prior.learner = NULL;
	by_prior.told = told_new(scratch);
	int n = generations_run(&by_prior, scratch, rng, (struct generations){ ANEW_POPULATION, ANEW_GENERATIONS }, all, 0, &b->refused);

	for (int i = 0; i < n && !taken; i++) {
		pick_score(p, scratch, &all[i], 1);
		taken = pick_again(p, a, rng, &all[i], b);
	}
	arena_free(scratch);
	return taken;
}

static void propose(const struct problem *given, struct arena *a, struct rng *rng, struct batch *b)
{
	struct problem of_batch = *given;
	const struct problem *p = &of_batch;

	of_batch.told = told_new(a);
	struct candidate *all = arena_many(a, struct candidate, 3 * POPULATION);
	int any = places(p, COMPONENT_RANDOM, RANDOM_SHARE, b->cap, rng);
	int until = b->cap - any - places(p, COMPONENT_ANEW, ANEW_SHARE, b->cap, rng);
	bool first = p->history->trials + p->ahead == 0, seeded = is_seeded(p, b);
	bool deep = p->history->trials == 0 && b->cap >= FEW && !seeded;
	int begun = 0;

	if (p->history->since_gain >= SLOW && problem_has(p, COMPONENT_DESCENT))
		pick_distinct(p, a, all, descend(p, a, rng, all), until / 4, b);
	if (first && seeded) {
		begun = (int)least(b->n, POPULATION);
		memcpy(all, b->at, sizeof(*all) * (size_t)begun);
	} else if (first) {
		if (problem_has(p, COMPONENT_DRAFT))
			begun = draft(p, a, rng, b, all, b->cap < HISTORY_KINDS ? b->cap : HISTORY_KINDS);
	} else if (problem_has(p, COMPONENT_ELITE)) {
		begun = pick_fastest(p, a, rng, ELITE, all);
		begun += pick_kinds(p, a, rng, POPULATION - begun, all + begun);
	}
	struct candidate *bred = all + begun;

	memcpy(bred, all, sizeof(*all) * (size_t)begun);	/* what is bred may lose kinds that score low */
	pick_score(p, a, all, begun);
	int n = begun + generations_run(p, a, rng, (struct generations){ POPULATION, deep ? FIRST_GENERATIONS : GENERATIONS }, bred,
					begun, &b->refused);

	pick_sort(all, n);
	if (problem_has(p, COMPONENT_KINDS))
		kinds_share(p, a, rng, all, n, until, b);
	else
		pick_distinct(p, a, all, n, until, b);
	while (problem_has(p, COMPONENT_ANEW) && b->n < b->cap - any && begin_anew(p, a, rng, b))
		;
	pick_random(p, a, rng, b);
}

const struct strategy strategy_evolve = {
	.name = "evolve",
	.summary = "evolution guided by a model of gradient-boosted trees",
	.model = &cost_model_xgboost,
	.propose = propose,
};
