/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/score_error.h - what the rounding of sites does to a classifier's scores.
 *
 * In:   runs with switches, on samples.
 * Out:  the sites in the order in which to keep them float, what is left of the error without the first of
 *       them, and what part of the rows may be expected to change class by it.
 *
 * What sites add to the error is taken for independent, so that squares add up; that they do is only used for
 * the order. The error that is left is measured with all others rounding. What is expected is no more than
 * that: rows with a small lead are few, so that of as many samples as one calibrates on it is off by a half. */
#ifndef HONE_RUNTIME_QUANTIZE_SCORE_ERROR_H
#define HONE_RUNTIME_QUANTIZE_SCORE_ERROR_H

#include "runtime/quantize/switched.h"

struct score_error {
	struct switched *s;
	const struct sample_source *samples;
	const struct array **right;	/* by sample, with no site rounding */
	int nright;
	int *order;			/* switches, by score_error_order() */
	double *square;			/* by number of switches that are off; negative: not measured yet */
};

/* In A, to be ended in any case. -1 and a message. */
int score_error_new(struct arena *a, struct switched *s, const struct sample_source *samples,
		 struct score_error *out);
void score_error_end(struct score_error *r);

/* Switches by their share of the error for each multiply-add, the largest first. -1 and a message. */
int score_error_order(struct score_error *r, const struct quant *q);
/* The mean square of the scores' error where the first N of the order do not round. -1 and a message. */
int score_error_without(struct score_error *r, int n, double *square);
/* The fewest, FROM (1 or more) at least, without which the error's square is at most SQUARE; without all, it
 * is 0. -1 and a message. */
int score_error_fewest(struct score_error *r, int from, double square);
/* The part of the rows expected to change class where each score is off by an error of this SQUARE. */
double score_error_changes(const struct score_error *r, double square);

#endif
