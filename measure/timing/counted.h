/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/counted.h - the samples that a time is taken from. */
#ifndef HONE_MEASURE_TIMING_COUNTED_H
#define HONE_MEASURE_TIMING_COUNTED_H

#include "base/arena.h"

/* Of the N samples US those that COUNTED (series_counted()) has a 1 for, all where it is NULL, each times SCALE;
 * in A, *KEPT of them. */
double *samples_counted(struct arena *a, const double *us, const char *counted, int n,
			double scale, int *kept);

#endif
