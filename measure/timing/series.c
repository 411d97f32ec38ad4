/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/series.c - which samples of a series count, and what they say. */
#include <math.h>

#include "base/quantile.h"
#include "measure/timing/timing.h"

enum { MIN_SAMPLES = 7 };	/* before a least is believed */

/* Good enough: as near as this to the least, in parts of it, are SERIES_LEAST samples. Once may be chance. */
#define SPREAD_GOAL 0.01

double minimum(const double *v, int n)
{
	double x = n ? v[0] : 0;

	for (int i = 1; i < n; i++)
		x = fmin(x, v[i]);
	return x;
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
	out->time_us = minimum(us, n);
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
	return us[SERIES_LEAST - 1] <= us[0] * (1 + SPREAD_GOAL);
}
