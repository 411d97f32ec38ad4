/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/fixed.c - looks, and the median of those that were alone. */
#include "measure/timing/fixed.h"

#include <math.h>

#include "base/clock.h"
#include "base/quantile.h"
#include "measure/timing/burst.h"

/* A look takes 90 us. */
enum { MOST_LOOKS = 4096, LEAST_LOOKS = 8 };
/* A burst that is longer than the shortest by more was beside somebody; of a core that is alone they are within a third of that. */
#define QUIET 0.01

struct fixed_look {
	double burst, fixed;	/* in chains */
};

/* Of two chains around each the shorter one counts: the other one may have been interrupted. */
static struct fixed_look look(void)
{
	chain_ns();		/* in the vectors of what is to come */
	double before = chain_ns(), burst = burst_ns(), between = chain_ns(), fixed = fixed_ns(), after = chain_ns();

	return (struct fixed_look){ burst / fmin(before, between), fixed / fmin(between, after) };
}

/* The shortest burst; two in a row, for one with chains that were interrupted is too short. */
static double shortest(const struct fixed_look *all, int n)
{
	double least = HUGE_VAL;

	for (int i = 1; i < n; i++)
		least = fmin(least, fmax(all[i - 1].burst, all[i].burst));
	return least;
}

double fixed_in_chains(double ms)
{
	struct fixed_look all[MOST_LOOKS];
	double fixed[MOST_LOOKS];
	int n = 0, quiet = 0;

	for (int64_t began = clock_ns(); n < LEAST_LOOKS || (n < MOST_LOOKS && ms_since(began) < ms); n++)
		all[n] = look();
	double most = (1 + QUIET) * shortest(all, n);

	for (int i = 0; i < n; i++)
		if (all[i].burst <= most)
			fixed[quiet++] = all[i].fixed;
	return median(fixed, quiet);
}
