/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/blocks.h - turns of a loop with the lanes of vectors inside of it, as blocks: for the passes transpose and interleave. */
#ifndef HONE_SCHEDULE_PASS_VECTORS_BLOCKS_H
#define HONE_SCHEDULE_PASS_VECTORS_BLOCKS_H

#include "schedule/nest.h"

/* Is LIST nothing but loops whose turns can change places, and vectors, around stores that neither combine with what was
 * there nor read what any of them stores? */
bool block_is_unordered(const struct nest *list);
/* LIST of P, where each loop that has neither lanes, nor threads, nor is marked already, is what BLOCKS makes of it; its
 * inside is looked at where that is NULL. */
struct nest *blocks_in(struct program *p, struct nest *list, struct nest *(*blocks)(struct program *p, struct nest *n));

/* Are V, a vector loop, and the turns of AXIS around it blocks of which one side has neighbours along AXIS in memory, and
 * the other along the lanes? */
bool block_transposes(struct arena *a, const struct nest *v, const struct axis *axis);
/* Loop N, around loops of stores alone, as blocks of as many turns as vectors in it have lanes, and what is left of them.
 * Those that can be transposed say so (loop.turns). */
struct nest *blocks_of(struct arena *a, const struct nest *n);

#endif
