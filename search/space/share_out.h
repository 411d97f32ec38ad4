/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/share_out.h - loops whose turns threads share. */
#ifndef HONE_SEARCH_SPACE_SHARE_OUT_H
#define HONE_SEARCH_SPACE_SHARE_OUT_H

#include "schedule/state.h"

/* Makes of the outer loops of each stage at the root of S one parallel loop, of about TURNS turns for each
 * of THREADS threads where there are so many. False where a step is refused. */
bool share_out(struct state *s, int threads, int64_t turns);

#endif
