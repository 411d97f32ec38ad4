/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/verdict.c - ranks of an interval for a median, and what it allows to say. */
#include "measure/timing/verdict.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

const char *verdict_name(enum verdict v)
{
	switch (v) {
	case VERDICT_UNCLEAR:
		return "UNCLEAR";
	case VERDICT_FASTER:
		return "FASTER";
	case VERDICT_SLOWER:
		return "SLOWER";
	case VERDICT_SAME:
		return "SAME";
	}
	return "";
}

/* How many of N figures lie below the interval, and as many above; -1 where N is too small. The
 * number of figures below the median is binomial with p = 1/2. */
static int outside(int n)
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

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static enum verdict judge(double low, double high)
{
	const double above = 1 + VERDICT_MARGIN, below = 1 / above;

	if (low > above)
		return VERDICT_FASTER;
	if (high < below)
		return VERDICT_SLOWER;
	return low >= below && high <= above ? VERDICT_SAME : VERDICT_UNCLEAR;
}

struct comparison compare_pairs(const double *ours, const double *theirs, int n)
{
	struct arena *a = arena_new();
	double *r = arena_many(a, double, n);
	struct comparison c = {.pairs = n};
	int k = outside(n);

	assert(n >= 1);
	for (int i = 0; i < n; i++)
		r[i] = theirs[i] / ours[i];
	qsort(r, (size_t)n, sizeof(*r), ascending);
	c.ratio = n % 2 ? r[n / 2] : sqrt(r[n / 2 - 1] * r[n / 2]);
	c.low = r[k < 0 ? 0 : k];
	c.high = r[n - 1 - (k < 0 ? 0 : k)];
	c.verdict = k < 0 ? VERDICT_UNCLEAR : judge(c.low, c.high);
	arena_free(a);
	return c;
}
