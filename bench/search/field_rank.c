/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/field_rank.c - what the times of a field say of its strategies. */
#include "bench/search/field.h"

#include <math.h>

#include "base/rng.h"
#include "base/quantile.h"

/* Of the bootstrap (Efron 1979): enough for two digits of an interval. */
enum { DRAWS = 2000, SEED = 1 };
#define TAIL 0.025

/* The mean logarithm of the times of strategy S over N seeds, which are drawn again where RNG is
 * not NULL; one that has no kernel does not count. NAN: none has. */
static double mean_log(const struct field_task *t, int s, int n, struct rng *rng)
{
	double sum = 0;
	int found = 0;

	for (int i = 0; i < n; i++) {
		double us = t->us[s][rng ? (int)rng_below(rng, n) : i];

		if (us > 0) {
			sum += log(us);
			found++;
		}
	}
	return found ? sum / found : NAN;
}

static struct field_ratio ratio_of(const struct field_task *t, int s, int seeds)
{
	struct field_ratio r = { 0 };
	double middle = exp(mean_log(t, 0, seeds, NULL) - mean_log(t, s, seeds, NULL));

	if (isnan(middle))
		return r;
	r = (struct field_ratio){ middle, INFINITY, 0 };
	for (int i = 0; i < seeds; i++)
		for (int j = 0; j < seeds; j++)
			if (t->us[0][i] > 0 && t->us[s][j] > 0) {
				r.low = fmin(r.low, t->us[0][i] / t->us[s][j]);
				r.high = fmax(r.high, t->us[0][i] / t->us[s][j]);
			}
	return r;
}

void field_rank(const struct field_plan *plan, struct field_task *out)
{
	for (int s = 0; s < plan->n; s++)
		out->ratio[s] = ratio_of(out, s, plan->seeds);
}

/* The mean logarithm of the ratio over N tasks with their seeds, all drawn again. */
static double draw(const struct field_plan *plan, const struct field_task *t, int n, int s,
		   struct rng *rng)
{
	double sum = 0;
	int used = 0;

	for (int i = 0; i < n; i++) {
		const struct field_task *one = &t[rng_below(rng, n)];
		double log_ratio = mean_log(one, 0, plan->seeds, rng) -
				   mean_log(one, s, plan->seeds, rng);

		if (!isnan(log_ratio)) {
			sum += log_ratio;
			used++;
		}
	}
	return used ? sum / used : 0;
}

struct field_total field_sum(const struct field_plan *plan, const struct field_task *t, int n,
			     int s)
{
	struct field_total total = { 0 };
	struct rng rng = rng_seed(SEED);
	double draws[DRAWS], sum = 0;

	for (int i = 0; i < n; i++) {
		const struct field_ratio *r = &t[i].ratio[s];

		if (r->middle <= 0)
			continue;
		total.tasks++;
		sum += log(r->middle);
		total.faster += r->low > 1;
		total.slower += r->high < 1;
	}
	if (total.tasks == 0)
		return total;
	for (int i = 0; i < DRAWS; i++)
		draws[i] = draw(plan, t, n, s, &rng);
	sort_figures(draws, DRAWS);
	total.mean = exp(sum / total.tasks);
	total.low = exp(quantile(draws, DRAWS, TAIL));
	total.high = exp(quantile(draws, DRAWS, 1 - TAIL));
	return total;
}
