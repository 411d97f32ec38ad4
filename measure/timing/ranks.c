/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/ranks.c - tails of the binomial distribution and of Mann and Whitney's. */
#include "measure/timing/ranks.h"

#include <math.h>

#include "base/arena.h"

double ranks_normal(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

/* The logarithm of N choose K. */
static double log_choose(int n, int k)
{
	return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

double ranks_of_signs(int n, int k)
{
	double sum = 0;

	for (int i = n; i >= k && i >= 0; i--)
		sum += exp(log_choose(n, i) - n * log(2));
	return fmin(1, sum);
}

/* How many of the orders of N and M samples have a statistic of at most MOST, by that of all orders. They are the
 * coefficients of a product of (1 - q^(n+i)) / (1 - q^i) for each i up to m (Andrews, The Theory of Partitions,
 * theorem 3.1). In doubles the smallest are exact, and these are the ones that count. */
static double share_up_to(int n, int m, int most)
{
	struct arena *a = arena_new();
	double *count = arena_many(a, double, most + 1), sum = 0;

	for (int k = 0; k <= most; k++)
		count[k] = k == 0;
	for (int i = 1; i <= m; i++) {
		for (int k = most; k >= n + i; k--)
			count[k] -= count[k - n - i];
		for (int k = i; k <= most; k++)
			count[k] += count[k - i];
	}
	for (int k = 0; k <= most; k++)
		sum += count[k];
	arena_free(a);
	return exp(log(sum) - log_choose(n + m, m));
}

double ranks_of_samples(int n, int m, int u)
{
	double all = (double)n * m;

	if (u <= 0)
		return 1;
	if (all > RANKS_COUNTED)
		return ranks_normal((u - .5 - all / 2) / sqrt(all * (n + m + 1) / 12));
	/* at least U one way is at most the rest the other way */
	return fmin(1, share_up_to(n, m, n * m - u));
}
