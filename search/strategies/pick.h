/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/pick.h - which of many candidates a batch takes, by what a model thinks of them.
 *
 * Holds: the same candidates and scores give the same batch, in whatever order they came. */
#ifndef HONE_SEARCH_STRATEGIES_PICK_H
#define HONE_SEARCH_STRATEGIES_PICK_H

#include "search/space/genes/candidate.h"

/* Asks the problem's model for the scores of N candidates, or the analytic prior where it has none;
 * A is scratch. */
void pick_score(const struct problem *p, struct arena *a, struct candidate *all, int n);
/* The fastest that were measured, at most MOST, grown again without scores; returns how many. */
int pick_fastest(const struct problem *p, struct arena *a, struct rng *rng, int most,
		 struct candidate *out);
/* Best score first; equal ones in an order of chance that is always the same. */
void pick_sort(struct candidate *all, int n);
/* Is C new and not alike to what is in B, as below, of which no quarter has its register tiles? */
bool pick_fits(const struct problem *p, const struct candidate *c, const struct batch *b);
/* Takes C into B where it fits and can be emitted. */
bool pick_one(const struct problem *p, struct arena *a, const struct candidate *c, struct batch *b);
/* The same of C that is in an arena of its own: grown again in A. */
bool pick_again(const struct problem *p, struct arena *a, struct rng *rng, const struct candidate *c, struct batch *b);
/* The first of ALL that are new and not alike, to the model or in their decisions, until B has UPTO:
 * a batch of one kind would teach the model nothing. */
void pick_distinct(const struct problem *p, struct arena *a, const struct candidate *all, int n,
		   int upto, struct batch *b);
/* Random ones, scored, until B is full or there seem to be no new ones. */
void pick_random(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b);

#endif
