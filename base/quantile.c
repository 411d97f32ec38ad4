/* SPDX-License-Identifier: Apache-2.0 */
/* base/quantile.c - sorting and interpolation. */
#include "base/quantile.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort_figures(double *x, int n)
{
	qsort(x, (size_t)n, sizeof(*x), by_value);
}

double quantile(const double *sorted, int n, double q)
{
	double at = q * (n - 1);
	int i = (int)at;
	double part = at - i;

	if (part == 0 || isinf(sorted[i + 1]))
		return part == 0 ? sorted[i] : INFINITY;
	return sorted[i] + part * (sorted[i + 1] - sorted[i]);
}

double median(double *x, int n)
{
	if (n == 0)
		return 0;
	sort_figures(x, n);
	return quantile(x, n, 0.5);
}
