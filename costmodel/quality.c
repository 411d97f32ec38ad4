/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/quality.c - measures of a ranking; by comparing pairs, n is a few thousand at most. */
#include "costmodel/quality.h"

#include <stdbool.h>

/* The place of program I in the order of falling X, earlier ones first among equals. */
static int place_of(const float *x, int n, int i)
{
	int place = 0;

	for (int j = 0; j < n; j++)
		place += x[j] > x[i] || (x[j] == x[i] && j < i);
	return place;
}

double recall_at_k(const float *score, const float *truth, int n, int k)
{
	int found = 0;

	if (n <= k || k <= 0)
		return 1;
	for (int i = 0; i < n; i++)
		found += place_of(truth, n, i) < k && place_of(score, n, i) < k;
	return (double)found / k;
}

double pairwise_accuracy(const float *score, const float *truth, int n)
{
	double right = 0, pairs = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++) {
			if (truth[i] == truth[j])
				continue;
			bool above = truth[i] > truth[j];

			pairs++;
			if (score[i] == score[j])
				right += 0.5;
			else
				right += (score[i] > score[j]) == above;
		}
	return pairs > 0 ? right / pairs : 0.5;
}

double rank_correlation(const float *score, const float *truth, int n)
{
	return 2 * pairwise_accuracy(score, truth, n) - 1;
}
