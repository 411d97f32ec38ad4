/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/accuracy.c - sums of differences. */
#include "graph/quantize/accuracy.h"

#include <math.h>

static void add_row(struct quant_error *e, const struct array *got, const struct array *want, int64_t from,
		    int64_t n)
{
	int64_t best_got = from, best_want = from;

	for (int64_t i = from; i < from + n; i++) {
		double x = element_load(got->element, got->data, i);
		double y = element_load(want->element, want->data, i);

		e->signal += y * y;
		e->noise += (x - y) * (x - y);
		/* in this order NaN is the largest difference */
		e->most = fabs(x - y) <= e->most ? e->most : fabs(x - y);
		e->largest = fmax(e->largest, fabs(y));
		if (x > element_load(got->element, got->data, best_got))
			best_got = i;
		if (y > element_load(want->element, want->data, best_want))
			best_want = i;
	}
	e->rows++;
	e->agree += best_got == best_want;
}

void quant_error_add(struct quant_error *e, const struct array *got, const struct array *want)
{
	int64_t n = want->rank ? want->dim[want->rank - 1] : 1;

	if (!element_is_float(want->element) || !element_is_float(got->element) ||
	    !array_same_shape(got, want) || n < 1)
		return;
	for (int64_t i = 0; i < want->count; i += n)
		add_row(e, got, want, i, n);
}

double quant_error_rms(const struct quant_error *e)
{
	return e->noise == 0 ? 0 : sqrt(e->noise / e->signal);
}

double quant_error_sqnr(const struct quant_error *e)
{
	return e->noise == 0 ? INFINITY : 10 * log10(e->signal / e->noise);
}

double quant_error_top1(const struct quant_error *e)
{
	return e->rows ? (double)e->agree / (double)e->rows : 1;
}
