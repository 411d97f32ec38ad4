/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/share.h - how many outer loops of a stage become the one whose turns threads share.
 *
 * Holds: these are loops of the output's dims, and none has a stage attached where they are more than one. There
 *        are none of a stage that is computed inside another's loops. */
#ifndef HONE_SEARCH_SPACE_SAMPLING_SHARE_H
#define HONE_SEARCH_SPACE_SAMPLING_SHARE_H

#include "base/rng.h"
#include "schedule/state.h"

/* Drawn: as many as have about some turns for each thread. No random number is drawn where that is all the same. */
int share_draw(const struct state *s, int stage, int threads, struct rng *rng);
/* LOOPS as they were decided before, or as near to that as STAGE has them: more where threads would go without a
 * turn, fewer where there are not so many. */
int share_fit(const struct state *s, int stage, int threads, int loops);
/* Makes one parallel loop of LOOPS, which one of the above gave. False, with nothing or a part of it done, where a
 * step is refused. */
bool share_out(struct state *s, int stage, int loops);

#endif
