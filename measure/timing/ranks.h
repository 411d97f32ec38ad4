/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/ranks.h - how likely ranks are that speak as clearly, where nothing is behind them.
 *
 * In:   counts of a rank test.
 * Out:  probabilities of one side, from 0 to 1. No random number is drawn. */
#ifndef HONE_MEASURE_TIMING_RANKS_H
#define HONE_MEASURE_TIMING_RANKS_H

/* Of N >= 1 pairs whose order is a coin's, at least K come out one way: the sign test (Conover, Practical
 * Nonparametric Statistics, 3rd ed., ch. 3.4). */
double ranks_of_signs(int n, int k);

/* Of the N M comparisons of N samples with M others of the same distribution at least U come out one way: the
 * distribution of Mann and Whitney's statistic (On a test of whether one of two random variables is
 * stochastically larger than the other, Ann. Math. Statist. 18, 1947), counted where N M is at most
 * RANKS_COUNTED, above that by the normal one with its correction for continuity. N, M >= 1. */
double ranks_of_samples(int n, int m, int u);

/* 64 of either. From there on the normal distribution is right within a hundredth at .025; at .001 it says a tenth
 * more than there is, and further out more still, which errs on the careful side. */
enum { RANKS_COUNTED = 4096 };

/* Of a normal distribution, at least Z standard deviations above its mean. */
double ranks_normal(double z);

#endif
