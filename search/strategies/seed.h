/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/seed.h - what is tried of a task before a strategy is asked. */
#ifndef HONE_SEARCH_STRATEGIES_SEED_H
#define HONE_SEARCH_STRATEGIES_SEED_H

#include "base/rng.h"
#include "search/space/candidate.h"

/* Begins B, the first batch of P, with P's seed, and with what comes of it where reductions are computed in strips of
 * their readers. Nothing where P has none, or is not at its beginning. */
void seed_propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b);

#endif
