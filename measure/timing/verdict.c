/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/verdict.c - ranks of intervals, and what they allow to say. */
#include "measure/timing/verdict.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/quantile.h"
#include "measure/timing/ranks.h"

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
		.bounded = outside >= 0,
		.pairs = pairs,
		.p = 1,
		.verdict = outside < 0 ? VERDICT_UNCLEAR : judge(r[k], r[n - 1 - k], margin),
	};
}

/* How many of the N ratios R lie beyond MARGIN on the side where more do. */
static int beyond(const double *r, int n, double margin)
{
	int above = 0, below = 0;

	for (int i = 0; i < n; i++) {
		above += r[i] > 1 + margin;
		below += r[i] < 1 / (1 + margin);
	}
	return above > below ? above : below;
}

struct comparison compare_pairs(const double *ours, const double *theirs, int n, double margin)
{
	struct arena *a = arena_new();
	double *r = arena_many(a, double, n);

	assert(n >= 1);
	for (int i = 0; i < n; i++)
		r[i] = theirs[i] / ours[i];
	struct comparison c = compare_ratios(r, n, outside_of_pairs(n), n, margin);

	c.p = fmin(1, 2 * ranks_of_signs(n, beyond(r, n, margin)));
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

	c.p = fmin(1, 2 * ranks_of_samples(n, m, beyond(r, n * m, margin)));
	arena_free(a);
	return c;
}

/* --- several together */

/* Sets what follows from C's ratio and interval, whose ends lie DEVIATIONS of its logarithm away. */
static void conclude(struct comparison *c, double margin)
{
	double edge = log1p(margin), middle = log(c->ratio);
	double beyond_edge = fabs(middle) - edge;
	double deviation = (middle > 0 ? middle - log(c->low) : log(c->high) - middle) / DEVIATIONS;

	c->verdict = c->bounded ? judge(c->low, c->high, margin) : VERDICT_UNCLEAR;
	if (!c->bounded || beyond_edge <= 0)
		c->p = 1;
	else
		c->p = deviation > 0 ? fmin(1, 2 * ranks_normal(beyond_edge / deviation)) : 0;
}

/* What holds of all N: the fewest pairs, and whether each is bounded. */
static struct comparison least_of(const struct comparison *c, int n)
{
	struct comparison all = { .pairs = c[0].pairs, .bounded = true };

	assert(n >= 1);
	for (int i = 0; i < n; i++) {
		all.pairs = c[i].pairs < all.pairs ? c[i].pairs : all.pairs;
		all.bounded &= c[i].bounded;
	}
	return all;
}

struct comparison compare_mean(const struct comparison *c, int n, double margin)
{
	struct comparison all = least_of(c, n);
	double sum = 0, below = 0, above = 0;

	for (int i = 0; i < n; i++) {
		double middle = log(c[i].ratio);

		sum += middle;
		below += pow(middle - log(c[i].low), 2);
		above += pow(log(c[i].high) - middle, 2);
	}
	all.ratio = exp(sum / n);
	all.low = exp((sum - sqrt(below)) / n);
	all.high = exp((sum + sqrt(above)) / n);
	conclude(&all, margin);
	return all;
}

struct comparison compare_sum(const struct comparison *c, const double *ours_us, int n, double margin)
{
	struct comparison all = least_of(c, n);
	double ours = 0, theirs = 0, below = 0, above = 0;

	for (int i = 0; i < n; i++) {
		ours += ours_us[i];
		theirs += ours_us[i] * c[i].ratio;
		below += pow(ours_us[i] * (c[i].ratio - c[i].low), 2);
		above += pow(ours_us[i] * (c[i].high - c[i].ratio), 2);
	}
	all.ratio = theirs / ours;
	all.low = (theirs - sqrt(below)) / ours;
	all.high = (theirs + sqrt(above)) / ours;
	conclude(&all, margin);
	return all;
}

static int by_p(const void *x, const void *y)
{
	const struct comparison *const *a = x, *const *b = y;

	return ((*a)->p > (*b)->p) - ((*a)->p < (*b)->p);
}

void verdict_many(struct comparison *const *c, int n, double alpha, double margin)
{
	struct arena *a = arena_new();
	struct comparison **order = arena_many(a, struct comparison *, n + 1);
	bool told = true;

	for (int i = 0; i < n; i++)
		order[i] = c[i];
	qsort(order, (size_t)n, sizeof(*order), by_p);
	for (int i = 0; i < n; i++) {
		struct comparison *one = order[i];

		told = told && one->bounded && one->p < alpha / (n - i);
		if (told)
			one->verdict = one->ratio > 1 ? VERDICT_FASTER : VERDICT_SLOWER;
		else if (!one->bounded || judge(one->low, one->high, margin) != VERDICT_SAME)
			one->verdict = VERDICT_UNCLEAR;
		else
			one->verdict = VERDICT_SAME;
	}
	arena_free(a);
}
