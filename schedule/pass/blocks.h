/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/blocks.h - turns of a loop with the lanes of vectors inside of it, as blocks: for the pass transpose. */
#ifndef HONE_SCHEDULE_PASS_BLOCKS_H
#define HONE_SCHEDULE_PASS_BLOCKS_H

#include "schedule/nest.h"

/* Are V, a vector loop, and the turns of AXIS around it blocks of which one side has neighbours along AXIS in memory, and
 * the other along the lanes? */
bool block_transposes(struct arena *a, const struct nest *v, const struct axis *axis);
/* Loop N, around loops of stores alone, as blocks of as many turns as vectors in it have lanes, and what is left of them.
 * Those that can be transposed say so (loop.turns). */
struct nest *blocks_of(struct arena *a, const struct nest *n);

#endif
