/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/stream.h - which results a search stores past the caches. */
#ifndef HONE_SEARCH_SPACE_STREAM_H
#define HONE_SEARCH_SPACE_STREAM_H

#include "costmodel/aim.h"
#include "schedule/state.h"

/* Is STAGE a result that caches do not keep until the next run in any case, and are its rows whole vectors of AIM's target? */
bool stream_may_pay(const struct state *s, int stage, const struct aim *aim);

#endif
