/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/finals/lineup.c - the rule by which finals are decided. */
#include "runtime/finals/lineup.h"

#include <string.h>

#include "base/arena.h"
#include "base/quantile.h"
#include "measure/timing/timing.h"
#include "measure/timing/verdict.h"

static double middle(const double *us, int rounds)
{
	struct arena *a = arena_new();
	double m = median(arena_memdup(a, us, (size_t)rounds * sizeof(*us)), rounds);

	arena_free(a);
	return m;
}

static bool simpler(const struct contender *x, const struct contender *y)
{
	if (x->steps != y->steps)
		return x->steps < y->steps;
	if (x->text_bytes != y->text_bytes)
		return x->text_bytes < y->text_bytes;
	return memcmp(&x->steps_hash, &y->steps_hash, sizeof(x->steps_hash)) < 0;
}

/* By the median, which is only a way to find somebody to compare the others with; of equal ones the
 * simplest. */
static int fastest(const struct contender *c, int n, int rounds)
{
	int best = 0;
	double best_us = middle(c[0].us, rounds);

	for (int i = 1; i < n; i++) {
		double us = middle(c[i].us, rounds);

		if (us < best_us || (us == best_us && simpler(&c[i], &c[best]))) {
			best = i;
			best_us = us;
		}
	}
	return best;
}

int lineup_winner(const struct contender *c, int n, int rounds)
{
	int first = fastest(c, n, rounds), winner = first;

	for (int i = 0; i < n; i++) {
		struct comparison with = compare_pairs(c[first].us, c[i].us, rounds,
						       MARGIN_IN_TURN);

		if (with.verdict != VERDICT_FASTER && simpler(&c[i], &c[winner]))
			winner = i;
	}
	return winner;
}

int lineup_place(int lineup, int task, int n)
{
	return (lineup + task) % n;
}
