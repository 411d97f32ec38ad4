/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/finals/lineup.h - who competes beside whom inside a model, and who wins.
 *
 * In:   the contenders of a task, and what each took in the same rounds.
 * Out:  the winner: the simplest of those that the fastest is not known to beat.
 * Holds: the same figures give the same winner, in whatever order contenders come; noise alone lets
 *        the simplest one win. */
#ifndef HONE_RUNTIME_FINALS_LINEUP_H
#define HONE_RUNTIME_FINALS_LINEUP_H

#include "base/hash.h"

/* A kernel among those of its task. The simpler of two has fewer steps, then the shorter C text,
 * then the smaller hash of its steps, which says nothing but decides. */
struct contender {
	int steps;
	size_t text_bytes;
	struct hash128 steps_hash;
	double *us;		/* a run of it, by round; above 0 */
};

/* The winner of N > 0 contenders after ROUNDS > 0. Ratios within a round are what counts
 * (measure/timing/verdict.h). */
int lineup_winner(const struct contender *c, int n, int rounds);

/* Which of the N contenders of the TASK-th task plays in LINEUP. Lineups are models that differ in all
 * kernels, so that whoever leaves the caches to a contender is another one each time. */
int lineup_place(int lineup, int task, int n);

#endif
