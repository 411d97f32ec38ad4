/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/booster.h - gradient-boosted trees over rows, where the prediction for a program is a
 * weighted sum over its rows: the part of the cost model that talks to XGBoost.
 *
 * Holds: no more threads than asked for; nothing is printed; predicting is safe from several
 * threads, also while another booster learns. */
#ifndef HONE_COSTMODEL_BOOSTER_H
#define HONE_COSTMODEL_BOOSTER_H

#include <stddef.h>
#include <stdint.h>

#include "costmodel/trees.h"

enum loss {
	LOSS_SQUARE,	/* weight * (sum - target)^2 / 2 */
	LOSS_LOGISTIC,	/* -log of the probability of the target: of 1 it is 1 / (1 + exp(-sum)) */
};

struct booster_options {
	enum loss loss;
	uint64_t seed;
	int threads;
	int rounds;		/* at most */
	int patience;		/* stop after so many rounds without gain on held-out programs */
	int depth;		/* of a tree */
	double eta;		/* the part of each tree that counts */
};

/* Programs with their rows one after the other, COLUMNS floats each. */
struct lesson {
	const float *rows;
	int columns;
	int n;
	const int *first;	/* n + 1 of them: the rows of program i are first[i] .. first[i+1]-1 */
	const float *share;	/* of each row in its program's sum: they add up to 1 */
	const float *target;
	const float *weight;	/* not negative */
};

/* Zeroed, at least one object; out of memory is die(). */
void *cost_allocate(size_t n, size_t size);

/* Learns from TRAIN; with HELD (may be NULL) it stops early and keeps the rounds that were best
 * there. ROUNDS gets their number. NULL and a message where XGBoost fails. */
struct trees *booster_learn(const struct lesson *train, const struct lesson *held,
			    const struct booster_options *o, int *rounds);
/* The sums (not probabilities) for the N programs of L, whose targets do not matter. */
void booster_predict(const struct trees *t, const struct lesson *l, float *sums);

#endif
