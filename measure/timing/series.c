/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/series.c - which samples of a series count, and what they say. */
#include <math.h>

#include "base/quantile.h"
#include "measure/timing/timing.h"

enum { MIN_SAMPLES = 7 };	/* before a time is believed */

/* Good enough: so near to each other, in parts of them, are those that a time is told by. */
#define SPREAD_GOAL 0.01

/* A time is told by one in so many samples, those that are nearest to each other: beside somebody who empties caches, which no look tells,
 * more than every other one may be longer. */
enum { NEAREST_SHARE = 3 };

/* N sorted samples, or more, from AT on. */
struct nearest {
	int at, n;
	double spread;		/* the last over the first */
};

static struct nearest nearest_of(const double *us, int n)
{
	int third = (n + NEAREST_SHARE - 1) / NEAREST_SHARE;
	struct nearest best = { .n = third > SERIES_LEAST ? third : SERIES_LEAST, .spread = HUGE_VAL };

	for (int i = 0; i + best.n <= n; i++) {
		double spread = us[i + best.n - 1] / us[i];

		if (spread < best.spread) {
			best.at = i;
			best.spread = spread;
		}
	}
	return best;
}

double time_of_samples(double *us, int n)
{
	if (n < SERIES_LEAST)
		return median(us, n);
	sort_figures(us, n);
	struct nearest nearest = nearest_of(us, n);

	return us[nearest.at + (nearest.n - 1) / 2];
}

static bool is_good(const struct series *s, int i)
{
	return !s->disturbed[i] && s->slowdown[i] <= SIBLING_ALONE;
}

int series_good(const struct series *s, int n)
{
	int good = 0;

	for (int i = 0; n > 0 && i < s[0].n; i++) {
		bool all = true;

		for (int j = 0; j < n; j++)
			all &= is_good(&s[j], i);
		good += all;
	}
	return good;
}

/* Which samples count. */
struct counting {
	bool disturbed;		/* these, too */
	double slowdown;	/* at most */
};

/* By how much others slowed S down, of its undisturbed samples or of all, in order; how many. */
static int slowdowns(const struct series *s, bool disturbed, double out[SAMPLES_MAX])
{
	int n = 0;

	for (int i = 0; i < s->n; i++)
		if (disturbed || !s->disturbed[i])
			out[n++] = s->slowdown[i];
	sort_figures(out, n);
	return n;
}

/* The good ones. On a machine so busy that there are hardly any, those of the quietest third; where time slices are short all
 * of these, preempted or not. Never does a sample's own time tell whether it counts. */
static struct counting counting_of(const struct series *s)
{
	double slowdown[SAMPLES_MAX];

	if (series_good(s, 1) >= SERIES_LEAST)
		return (struct counting){ false, SIBLING_ALONE };
	int n = slowdowns(s, false, slowdown);
	bool all = n < SERIES_LEAST;

	if (all)
		n = slowdowns(s, true, slowdown);
	int third = n / SIBLING_QUIETEST_SHARE, quietest = third > SERIES_LEAST ? third : SERIES_LEAST;

	return (struct counting){ all, quietest < n ? slowdown[quietest - 1] : HUGE_VAL };
}

static bool counts(const struct series *s, int i, struct counting c)
{
	return (c.disturbed || !s->disturbed[i]) && s->slowdown[i] <= c.slowdown;
}

void series_join(struct series *s, int n)
{
	for (int i = 0; n > 0 && i < s[0].n; i++) {
		bool disturbed = false;
		double slowdown = 1;

		for (int j = 0; j < n; j++) {
			disturbed |= s[j].disturbed[i];
			slowdown = fmax(slowdown, s[j].slowdown[i]);
		}
		for (int j = 0; j < n; j++) {
			s[j].disturbed[i] = disturbed;
			s[j].slowdown[i] = slowdown;
		}
	}
}

void series_end(const struct series *s, struct timing_result *out)
{
	double us[SAMPLES_MAX], clock[SAMPLES_MAX];
	struct counting which = counting_of(s);
	int n = 0;

	for (int i = 0; i < s->n; i++) {
		if (!counts(s, i, which))
			continue;
		us[n] = s->us[i];
		clock[n++] = s->clock[i];
	}
	out->disturbed = s->n - series_good(s, 1);
	out->time_us = time_of_samples(us, n);
	out->clock = median(clock, n);
}

void series_counted(const struct series *s, char out[SAMPLES_MAX + 1])
{
	struct counting which = counting_of(s);

	for (int i = 0; i < s->n; i++)
		out[i] = counts(s, i, which) ? '1' : '0';
	out[s->n] = '\0';
}

bool series_settled(const struct series *s)
{
	double us[SAMPLES_MAX];
	int n = 0;

	for (int i = 0; i < s->n; i++)
		if (is_good(s, i))
			us[n++] = s->us[i];
	if (n < MIN_SAMPLES)
		return false;
	sort_figures(us, n);
	return nearest_of(us, n).spread <= 1 + SPREAD_GOAL;
}
