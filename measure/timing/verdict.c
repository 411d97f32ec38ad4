/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/verdict.c - ranks of intervals, and what they allow to say. */
#include "measure/timing/verdict.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/quantile.h"

/* Of the normal distribution: VERDICT_CONFIDENCE lies within so many standard deviations. */
#define DEVIATIONS 1.959964

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
#define X(name, meaning) #name,
#include "measure/timing/verdict.def"
#undef X
	};

	return names[v];
}

/* How many of N pairs lie below the interval, and as many above; -1 where N is too small. The
 * number of pairs below the median is binomial with p = 1/2. */
static int outside_of_pairs(int n)
{
	double tail = 0;
	int k = -1;

	for (;;) {
		double log_p = lgamma(n + 1.0) - lgamma(k + 2.0) - lgamma(n - k) - n * log(2);

		tail += exp(log_p);
		if (tail > (1 - VERDICT_CONFIDENCE) / 2)
			return k;
		k++;
	}
}

/* The same of the N M ratios of samples apart (Hollander and Wolfe, equation 4.39): how many of them lie below the
 * true ratio is about normal, from a handful of samples on. */
static int outside_of_ratios(double n, double m)
{
	return (int)floor(n * m / 2 - DEVIATIONS * sqrt(n * m * (n + m + 1) / 12)) - 1;
}

static enum verdict judge(double low, double high, double margin)
{
	const double above = 1 + margin, below = 1 / above;

	if (low > above)
		return VERDICT_FASTER;
	if (high < below)
		return VERDICT_SLOWER;
	return low >= below && high <= above ? VERDICT_SAME : VERDICT_UNCLEAR;
}

/* Of the N ratios R, which get sorted: all but OUTSIDE of them on either side are the interval. */
static struct comparison compare_ratios(double *r, int n, int outside, int pairs, double margin)
{
	int k = outside < 0 ? 0 : outside;

	sort_figures(r, n);
	return (struct comparison){
		.ratio = n % 2 ? r[n / 2] : sqrt(r[n / 2 - 1] * r[n / 2]),
		.low = r[k],
		.high = r[n - 1 - k],
		.pairs = pairs,
		.verdict = outside < 0 ? VERDICT_UNCLEAR : judge(r[k], r[n - 1 - k], margin),
	};
}

struct comparison compare_pairs(const double *ours, const double *theirs, int n, double margin)
{
	struct arena *a = arena_new();
	double *r = arena_many(a, double, n);

	assert(n >= 1);
	for (int i = 0; i < n; i++)
		r[i] = theirs[i] / ours[i];
	struct comparison c = compare_ratios(r, n, outside_of_pairs(n), n, margin);

	arena_free(a);
	return c;
}

struct comparison compare_apart(const double *ours, int n, const double *theirs, int m,
				double margin)
{
	struct arena *a = arena_new();
	double *r = arena_many(a, double, n * m);

	assert(n >= 1 && m >= 1);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			r[i * m + j] = theirs[j] / ours[i];
	struct comparison c = compare_ratios(r, n * m, outside_of_ratios(n, m), n < m ? n : m,
					     margin);

	arena_free(a);
	return c;
}

struct comparison compare_mean(const struct comparison *c, int n, double margin)
{
	double sum = 0, below = 0, above = 0;
	int pairs = c[0].pairs;

	assert(n >= 1);
	for (int i = 0; i < n; i++) {
		double middle = log(c[i].ratio);

		sum += middle;
		below += pow(middle - log(c[i].low), 2);
		above += pow(log(c[i].high) - middle, 2);
		pairs = c[i].pairs < pairs ? c[i].pairs : pairs;
	}
	struct comparison all = { .ratio = exp(sum / n), .low = exp((sum - sqrt(below)) / n),
				  .high = exp((sum + sqrt(above)) / n), .pairs = pairs };

	all.verdict = judge(all.low, all.high, margin);
	return all;
}
