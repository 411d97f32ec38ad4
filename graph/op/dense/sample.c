/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/sample.c - an image read between its elements. */
#include "graph/op/dense/sample.h"

#include <math.h>

/* Further out, coordinates are no longer whole elements apart; NaN is as far as that. */
#define FAR 0x1p40

static double bounded(double v)
{
	return v > FAR ? FAR : v > -FAR ? v : -FAR;
}

/* X brought into [LOW, HIGH] by reflection at its ends. */
static double reflect(double x, double low, double high)
{
	double range = high - low;

	if (range <= 0)
		return low;
	double off = fmod(fabs(x - low), 2 * range);

	return low + (off > range ? 2 * range - off : off);
}

/* Element I of N, beyond the border as it says. */
static int64_t index_of(const struct sampling *s, int d, int64_t i)
{
	int64_t n = s->dim[d];

	if (i >= 0 && i < n)
		return i;
	if (s->outside == OUTSIDE_ZEROS || n == 0)
		return -1;
	if (s->outside == OUTSIDE_REFLECT)
		i = (int64_t)reflect((double)i, s->low[d], s->high[d]);
	return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The cubic convolution of [Keys 1981] with a = -3/4, as image libraries have it. */
static double cubic(double x)
{
	const double a = -0.75;

	x = fabs(x);
	if (x <= 1)
		return ((a + 2) * x - (a + 3)) * x * x + 1;
	return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

void sample_at(const struct sampling *s, const double *x, struct sample_point *out)
{
	static const int taps[] = { 1, 2, 4 }, first[] = { 0, 0, -1 };

	out->taps = taps[s->interpolation];
	for (int d = 0; d < s->nd; d++) {
		double v = bounded(x[d]);

		if (s->interpolation == INTERPOLATE_NEAREST)
			v = nearbyint(v);
		if (s->outside == OUTSIDE_CLAMP)
			v = fmax(0, fmin(v, (double)s->dim[d] - 1));
		if (s->outside == OUTSIDE_REFLECT && (v < s->low[d] || v > s->high[d]))
			v = reflect(v, s->low[d], s->high[d]);
		double base = floor(v);

		for (int t = 0; t < out->taps; t++) {
			double distance = v - base - (double)(t + first[s->interpolation]);

			out->at[d][t] = index_of(s, d, (int64_t)base + t + first[s->interpolation]);
			out->weight[d][t] = s->interpolation == INTERPOLATE_NEAREST  ? 1
					  : s->interpolation == INTERPOLATE_LINEAR
						  ? 1 - fabs(distance)
						  : cubic(distance);
		}
	}
}

double sample_read(const struct sampling *s, const struct sample_point *p, enum element e,
		   const void *plane)
{
	int t[SLIDE_MAX] = { 0 };
	double sum = 0;
	int d;

	do {
		double weight = 1;
		int64_t at = 0;

		for (d = 0; d < s->nd && p->at[d][t[d]] >= 0; d++) {
			at = at * s->dim[d] + p->at[d][t[d]];
			weight *= p->weight[d][t[d]];
		}
		if (d == s->nd && weight != 0)
			sum += weight * (e == ELEMENT_F32 ? (double)((const float *)plane)[at]
							  : ((const double *)plane)[at]);
		for (d = s->nd - 1; d >= 0 && ++t[d] == p->taps; d--)
			t[d] = 0;
	} while (d >= 0);
	return sum;
}
