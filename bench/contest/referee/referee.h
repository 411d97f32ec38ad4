/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/referee.h - lets players run in turns and says how they did.
 *
 * In:   players that have prepared the same task, on the same cores.
 * Out:  the time of each, and its comparison with the first.
 * Holds: one works at a time, while all others sleep: before a turn the referee waits until no
 *        thread of any player uses CPU, and for a while until nobody else computes on the second hardware thread of
 *        a core (measure/timing/sibling.h). Every round each has one turn, and another one begins. */
#ifndef HONE_BENCH_CONTEST_REFEREE_REFEREE_H
#define HONE_BENCH_CONTEST_REFEREE_REFEREE_H

#include "bench/contest/referee/player.h"
#include "measure/timing/verdict.h"

struct rules {
	double seconds;		/* of playing; min_rounds may take longer */
	double warm_ms;		/* of a turn, not timed: caches, clock and threads come back */
	double sample_ms;	/* of a turn, timed */
	double quiet_ms;	/* the longest wait before a turn */
	int min_rounds, max_rounds;
	bool alone;		/* two turns a round each: one more while all others are stopped */
};

extern const struct rules rules_default;

/* Of one player. */
struct score {
	const char *lost;	/* NULL; why it has no time */
	double us;		/* of one evaluation: median over the rounds */
	struct comparison versus;	/* with player 0, in rounds that both played; 0 pairs: none */
	double alone_us;	/* the same with the machine to itself; 0: not asked for */
	struct comparison alone;	/* its turns beside the others with those alone, round by round:
					 * a ratio of 1 is what a fair contest gives */
	int turns, restless;	/* turns; those behind which it kept a core busy beyond quiet_ms */
	int beside;		/* turns with somebody else on a core's second hardware thread: figures are of others, and
				 * where these are few of the quietest third of all */
};

/* SCORES, of N players, in A. A player that fails leaves the contest. */
void referee_play(struct arena *a, const struct rules *r, struct player *const *players, int n,
		  struct score *scores);

#endif
