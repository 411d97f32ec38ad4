/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/generations.h - a population of decisions, varied and ranked, some generations on.
 *
 * In:   a problem; by its model a candidate is fit or not, by the analytic prior where it has none.
 * Out:  the last generation, parents and children together, best first. */
#ifndef HONE_SEARCH_STRATEGIES_GENERATIONS_H
#define HONE_SEARCH_STRATEGIES_GENERATIONS_H

#include "search/space/genes/candidate.h"

struct generations {
	int population;	/* parents, and children, of a generation */
	int count;	/* generations behind the first */
};

/* ALL has room for twice the population, and N candidates to begin with; random ones fill it up.
 * REFUSED counts those that did not fit together. How many there are in the end. */
int generations_run(const struct problem *p, struct arena *a, struct rng *rng,
		    struct generations g, struct candidate *all, int n, int *refused);
/* Of T, of which nothing is known, by the prior alone: P is the problem, *OUT the last generation, both
 * in A. The same task and aim give the same. */
int generations_by_prior(struct arena *a, const struct task *t, const struct aim *aim,
			 struct generations g, struct problem *p, struct candidate **out);

#endif
