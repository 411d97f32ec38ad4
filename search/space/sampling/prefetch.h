/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/prefetch.h - which operands a search fetches ahead, in which loops and how far. */
#ifndef HONE_SEARCH_SPACE_SAMPLING_PREFETCH_H
#define HONE_SEARCH_SPACE_SAMPLING_PREFETCH_H

#include "base/rng.h"
#include "costmodel/aim.h"
#include "search/space/genes/genes.h"

/* Is stage READ there before a kernel runs? */
bool prefetch_is_given(const struct state *s, int read);
/* Is READ an operand that is not in a first-level cache of AIM's device anyway, and not computed on the way? */
bool prefetch_may_pay(const struct state *s, int read, const struct aim *aim);
/* Decides which loop around a reader of what G's step is of fetches, and how far ahead; or that none does, as mostly where AIM has
 * the operand in a cache. */
void prefetch_draw(struct arena *a, const struct state *s, struct gene *g, const struct aim *aim, struct rng *rng);
/* Is the loop of STEP one around a reader that can go ahead, by a line of TARGET's at least in each turn? */
bool prefetch_fits(struct arena *a, const struct state *s, const struct step *step, const struct target *target);

#endif
