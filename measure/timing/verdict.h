/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/verdict.h - two kernels that were timed: which one is faster, and is that known?
 *
 * In:   the times of both, in pairs of the same rounds, or apart; a margin within which nobody cares.
 * Out:  the ratio of what they usually take, an interval for it, and a verdict.
 * Holds: nothing is assumed of how times are distributed; no random number is drawn, and an outlier
 *        moves nothing. Who is compared with whom does not matter.
 *
 * Pairs: a machine's speed drifts by more than what is to be told apart, so only the ratio within a
 * round counts. The interval lies between two order statistics of the ratios, whose ranks follow from
 * the binomial distribution (Conover, Practical Nonparametric Statistics, 3rd ed., ch. 3.2): of pairs
 * that are independent it holds the true median with at least VERDICT_CONFIDENCE. (Wilcoxon's signed
 * ranks give a narrower one of normal ratios, and a wider one as soon as one time in twelve is longer than it
 * should be: in simulations of 30 pairs they found what is 5% slower in 95% of tries, signs in all.)
 *
 * Samples apart: the ratio is Hodges and Lehmann's, the median of all theirs[j] / ours[i], and the
 * interval lies between two of these, whose ranks follow from the distribution of Mann and Whitney's
 * statistic (Hollander and Wolfe, Nonparametric Statistical Methods, 2nd ed., ch. 4.2 and 4.3; of
 * times in logarithms, in which a ratio is a shift). It knows what samples of either say, and nothing
 * of what a day, or the start of a process, does to all of them: that is what the margin is for.
 *
 * Many comparisons: one in twenty intervals misses, so of a hundred tasks five would be told apart that are the
 * same. `p` is for those who ask many questions at once: verdict_many() makes of all p's verdicts that are all
 * right with VERDICT_CONFIDENCE. */
#ifndef HONE_MEASURE_TIMING_VERDICT_H
#define HONE_MEASURE_TIMING_VERDICT_H

#include <stdbool.h>

#define VERDICT_CONFIDENCE 0.95

/* Margins: ratios within this of 1 are the same. Each is of what one and the same kernel differs by from itself:
 * in the turns of one process, hardly at all; it is above 0, for the fastest of several has been
 * lucky;
 * from one start of a process to the next, by where its pages lie: chosen, not measured; `hone bench
 * --alone` shows what starts differ by on a machine;
 * from one day to another, in units of a fixed kernel: medians of a quiet machine agree within a percent, and
 * three is what one may bet on. */
#define MARGIN_IN_TURN 0.005
#define MARGIN_STARTS 0.02
#define MARGIN_DAYS 0.03

/* No interval of this confidence exists for fewer pairs. */
enum { VERDICT_MIN_PAIRS = 6 };

enum verdict {
#define X(name, meaning) VERDICT_##name,
#include "measure/timing/verdict.def"
#undef X
};

const char *verdict_name(enum verdict v);

struct comparison {
	double ratio;		/* of theirs over ours: more is better for us */
	double low, high;	/* of the interval; the extremes where figures are too few */
	bool bounded;		/* there are enough for an interval */
	int pairs;		/* or, of samples apart, how many the side with fewer has */
	/* How likely figures are that lie as clearly beyond the margin, on either side, if the true ratio is at its
	 * edge: sign test or Mann and Whitney's (measure/timing/ranks.h). Below 1 - VERDICT_CONFIDENCE is about
	 * where the verdict is FASTER or SLOWER. */
	double p;
	enum verdict verdict;	/* of this comparison alone */
};

/* OURS[i] and THEIRS[i], above 0, are of the same round; N >= 1. MARGIN > 0. */
struct comparison compare_pairs(const double *ours, const double *theirs, int n, double margin);
/* N of OURS, M of THEIRS, at least 1 of each, above 0, in one unit. */
struct comparison compare_apart(const double *ours, int n, const double *theirs, int m,
				double margin);
/* Of N >= 1 comparisons of different tasks the geometric mean. Their errors have nothing to do with each
 * other, so that they add in squares, of logarithms (Zou and Donner, Construction of confidence limits about effect
 * measures: a general approach, Statistics in Medicine 27, 2008, which needs no more than each interval). One that
 * is not bounded leaves the mean without an interval, and UNCLEAR. */
struct comparison compare_mean(const struct comparison *c, int n, double margin);
/* The same of what all take together: the sum of theirs by that of ours, where OURS_US[i], above 0, is what ours
 * takes in all its occurrences, in any unit. */
struct comparison compare_sum(const struct comparison *c, const double *ours_us, int n, double margin);

/* Verdicts of N comparisons at once, of P[i] each: with less probability than ALPHA is any of them FASTER or SLOWER
 * that is not, whatever the tasks have to do with each other (Holm, A simple sequentially rejective multiple test
 * procedure, Scand. J. Statist. 6, 1979). SAME takes the interval within the margin, as before: it is wrong of a task
 * that differs by the margin in fewer than one of twenty. */
void verdict_many(struct comparison *const *c, int n, double alpha, double margin);

#endif
