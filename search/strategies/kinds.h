/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/kinds.h - how a batch is shared out among kinds of candidates (search/space/genes/kind.h).
 *
 * In:   candidates with scores, what was measured of each kind, operations over the peak as a bound.
 * Out:  places of a batch.
 * Holds: a kind gets trials as long as it may yet win: until its floor, or what so many trials let hope for, is above
 *        that of others. */
#ifndef HONE_SEARCH_STRATEGIES_KINDS_H
#define HONE_SEARCH_STRATEGIES_KINDS_H

#include "search/space/genes/candidate.h"

/* Goes up from C by the model, one change at a time, among its kind. */
void kinds_improve(const struct problem *p, struct arena *a, struct rng *rng, struct candidate *c);
/* Fills B up to UPTO from ALL, best first, which has the best of each kind that was measured, and with others of kinds of which ALL has too few. */
void kinds_share(const struct problem *p, struct arena *a, struct rng *rng, const struct candidate *all, int n,
		 int upto, struct batch *b);

#endif
