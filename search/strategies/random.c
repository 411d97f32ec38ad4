/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/random.c - the strategy that learns nothing: samples of the sketches. */
#include "search/strategies/strategy.h"

/* So many samples in a row that are not new mean that the space is used up. */
enum { MAX_FAILURES = 1000 };

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	for (int failures = 0; b->n < b->cap && failures < MAX_FAILURES;) {
		struct candidate c;

		if (!candidate_random(p, a, rng, MAX_FAILURES, &b->refused, &c))
			return;
		failures = batch_add(p, a, b, &c) ? 0 : failures + 1;
	}
}

const struct strategy strategy_random = {
	.name = "random",
	.summary = "samples of the sketches, without learning",
	.propose = propose,
};
