/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/series.c - which samples of a series count, and what they say. */
#include <math.h>

#include "base/quantile.h"
#include "measure/timing/timing.h"

enum { MIN_SAMPLES = 7 };	/* before a time is believed */

/* As near as this to each other, in parts of them, are SERIES_LEAST samples that confirm each other. */
#define SPREAD_GOAL 0.01

/* Of as many samples one may be faster by chance; more may be what others will confirm. Chosen, not measured. */
enum { CHANCE_SHARE = 4 };

/* By how much the sorted sample number I and those that are to confirm it are apart. */
static double spread(const double *us, int i)
{
	return us[i + SERIES_LEAST - 1] / us[i] - 1;
}

/* The first of N >= SERIES_LEAST sorted samples that others confirm; that which they confirm best where none is. */
static int first_confirmed(const double *us, int n)
{
	int nearest = 0;

	for (int i = 0; i + SERIES_LEAST <= n; i++) {
		if (spread(us, i) <= SPREAD_GOAL)
			return i;
		if (spread(us, i) < spread(us, nearest))
			nearest = i;
	}
	return nearest;
}

double time_of_samples(double *us, int n)
{
	if (n < SERIES_LEAST)
		return median(us, n);
	sort_figures(us, n);
	return us[first_confirmed(us, n)];
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
	int first = first_confirmed(us, n);

	return first * CHANCE_SHARE <= n && spread(us, first) <= SPREAD_GOAL;
}
