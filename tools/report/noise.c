/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/noise.c - quantiles of what was measured, by the time at which it was. */
#include "tools/report/noise.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/quantile.h"
#include "measure/trial.h"

/* Of N sorted figures; NAN of none. */
static double part_of(const double *sorted, int n, double q)
{
	return n ? quantile(sorted, n, q) : NAN;
}

/* What the fixed kernel took when R did: as its samples were counted, or in turn with them, as it was once. NAN: not known. */
static double fixed_us(const struct db_record *r)
{
	json_t *counters = json_loads(r->counters ? r->counters : "{}", 0, NULL);
	double ns = json_number_value(json_object_get(counters, COUNTER_FIXED));

	json_decref(counters);
	if (ns > 0)
		return ns * 1e-3;
	return r->ratio > 0 ? r->time_us / r->ratio : NAN;
}

struct noise_sample noise_of(struct arena *a, const struct db_record *r)
{
	struct noise_sample s = { .record = r->id, .created = r->created, .fixed_us = NAN, .spread = NAN };

	if (r->status != TRIAL_OK || r->estimate)
		return s;
	s.fixed_us = fixed_us(r);
	double *v = arena_many(a, double, r->n_samples ? r->n_samples : 1);
	int n = 0;

	for (int i = 0; i < r->n_samples; i++)
		if (!r->counted || r->counted[i] == '1')
			v[n++] = r->samples[i];
	sort_figures(v, n);
	if (n > 1)
		s.spread = (quantile(v, n, 0.75) - quantile(v, n, 0.25)) / quantile(v, n, 0.5);
	return s;
}

static int by_time(const void *x, const void *y)
{
	const struct noise_sample *a = x, *b = y;

	if (a->created != b->created)
		return a->created > b->created ? 1 : -1;
	return (a->record > b->record) - (a->record < b->record);
}

/* Of the N samples at AT. */
static struct noise_span span_of(struct arena *a, const struct noise_sample *at, int n)
{
	struct noise_span s = { .from = at[0].created, .to = at[n - 1].created, .records = n };
	double *fixed = arena_many(a, double, n), *spreads = arena_many(a, double, n);
	int n_fixed = 0, n_spreads = 0;

	for (int i = 0; i < n; i++) {
		if (!isnan(at[i].fixed_us))
			fixed[n_fixed++] = at[i].fixed_us;
		if (!isnan(at[i].spread))
			spreads[n_spreads++] = at[i].spread;
	}
	sort_figures(fixed, n_fixed);
	sort_figures(spreads, n_spreads);
	s.low_us = part_of(fixed, n_fixed, 0.1);
	s.fixed_us = part_of(fixed, n_fixed, 0.5);
	s.high_us = part_of(fixed, n_fixed, 0.9);
	s.spread = part_of(spreads, n_spreads, 0.5);
	return s;
}

struct noise_span_vec noise_spans(struct arena *a, struct noise_sample_vec *samples, int most)
{
	struct noise_span_vec out = { 0 };
	int n = samples->n < most ? samples->n : most;

	qsort(samples->at, (size_t)samples->n, sizeof(*samples->at), by_time);
	for (int i = 0; i < n; i++) {
		int from = (int)((int64_t)samples->n * i / n);
		int to = (int)((int64_t)samples->n * (i + 1) / n);

		vec_push(a, &out, span_of(a, &samples->at[from], to - from));
	}
	return out;
}
