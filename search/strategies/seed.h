/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/seed.h - what is tried of a task before its strategy is asked. */
#ifndef HONE_SEARCH_STRATEGIES_SEED_H
#define HONE_SEARCH_STRATEGIES_SEED_H

#include "base/rng.h"
#include "search/space/genes/candidate.h"

/* Begins batch B of P with P's seeds, and with what comes of a composed one where reductions are computed in strips of
 * their readers. Nothing where P has none, or had the same before. */
void seed_propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b);

#endif
