/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/round.h - the steps of a round: one batch of candidates is proposed, judged, learned from. */
#ifndef HONE_SEARCH_CAMPAIGN_ROUND_H
#define HONE_SEARCH_CAMPAIGN_ROUND_H

#include "search/measurers/measurer.h"
#include "search/strategies/strategy.h"

/* What a round came to. */
struct round {
	double search_s;	/* sketches, candidates, scores */
	double learn_s;		/* waiting for the model to be trained */
	int refused;		/* samples that did not fit together or could not be lowered */
	/* How well the model ordered the batch before it learned from it. */
	int scored;		/* candidates that had a score; 0: the rest means nothing */
	double recall, rank, accuracy;
};

/* The steps of a round of P, and what each comes to in OUT, which is zeroed before the first.
 *
 * Fills B as S proposes; A is scratch. */
void round_propose(const struct strategy *s, const struct problem *p, struct arena *a,
		   struct rng *rng, struct batch *b, struct round *out);
/* Holds what was measured of B against its scores. */
void round_judge(struct arena *a, const struct batch *b, struct round *out);
/* Lets the history and the learner of P know of B; the learner is to be trained next. */
void round_learn(const struct problem *p, struct arena *a, struct batch *b);

/* A whole round, one step after the other, for who has no campaign: proposed, measured with M, judged,
 * learned. -1 and a message where nothing can be measured. */
int round_play(const struct strategy *s, const struct problem *p, struct measurer *m,
	       struct arena *a, struct rng *rng, struct batch *b, struct round *out);

/* The time that search goes by: also of a lost race, whose few samples say how slow it is; 0 where
 * nothing was timed. */
double observed_us(enum trial_status status, double time_us, const double *samples, int n);
double trial_observed_us(const struct trial *t);

#endif
