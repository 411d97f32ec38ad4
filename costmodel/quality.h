/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/quality.h - how well scores order what was measured. Higher is better in both. */
#ifndef HONE_COSTMODEL_QUALITY_H
#define HONE_COSTMODEL_QUALITY_H

/* The share of the K best by TRUTH that are among the K best by SCORE, of N programs; where
 * several are equal the earlier one counts as better. 1 where there are at most K. */
double recall_at_k(const float *score, const float *truth, int n, int k);

/* The share of pairs with different TRUTH that SCORE orders the same way; equal scores count half.
 * 0.5 where there is no such pair: as good as chance. */
double pairwise_accuracy(const float *score, const float *truth, int n);

/* The same from -1 (reversed) to 1 (Kendall's tau). */
double rank_correlation(const float *score, const float *truth, int n);

#endif
