/* SPDX-License-Identifier: Apache-2.0 */
/* base/quantile.h - what is said of many figures. */
#ifndef HONE_BASE_QUANTILE_H
#define HONE_BASE_QUANTILE_H

void sort_figures(double *x, int n);
/* Of N > 0 sorted figures, between two neighbours in proportion; what is infinite stays so. */
double quantile(const double *sorted, int n, double q);
/* Sorts N figures; 0 where there are none. */
double median(double *x, int n);

#endif
