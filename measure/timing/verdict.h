/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/verdict.h - two kernels, timed in pairs: which one is faster, and is that known?
 *
 * In:   the times of both in the same rounds. A machine's speed drifts by more than what is to be
 *       told apart, so only the ratio within a round counts.
 * Out:  the median ratio, an interval for it, and a verdict.
 *
 * The interval lies between two order statistics of the ratios, whose ranks follow from the
 * binomial distribution (Conover, Practical Nonparametric Statistics, 3rd ed., ch. 3.2): whatever
 * the distribution of pairs that are independent, it holds the true median with at least
 * VERDICT_CONFIDENCE. No random number is drawn, and an outlier moves nothing. */
#ifndef HONE_MEASURE_TIMING_VERDICT_H
#define HONE_MEASURE_TIMING_VERDICT_H

#define VERDICT_CONFIDENCE 0.95

/* Ratios within this of 1 are the same: nobody can bet on less, for where the pages of a process lie
 * changes from one start to the next, and with it the time of one and the same kernel. Chosen, not
 * measured; `hone bench --alone` shows what starts differ by on a machine. */
#define VERDICT_MARGIN 0.02

/* No interval of this confidence exists for fewer pairs. */
enum { VERDICT_MIN_PAIRS = 6 };

enum verdict {
	VERDICT_UNCLEAR,	/* the interval crosses the margin, or pairs are too few */
	VERDICT_FASTER,		/* ours: the interval lies wholly above it */
	VERDICT_SLOWER,		/* wholly below */
	VERDICT_SAME,		/* wholly within */
};

const char *verdict_name(enum verdict v);

struct comparison {
	double ratio;		/* median of theirs over ours: more is better for us */
	double low, high;	/* of the interval; the extremes where pairs are too few */
	int pairs;
	enum verdict verdict;
};

/* OURS[i] and THEIRS[i], above 0, are of the same round; N >= 1. */
struct comparison compare_pairs(const double *ours, const double *theirs, int n);

#endif
