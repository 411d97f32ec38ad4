/* SPDX-License-Identifier: Apache-2.0 */
/* measure/fill.h - the random inputs of a workload; anybody can make the same ones again. */
#ifndef HONE_MEASURE_FILL_H
#define HONE_MEASURE_FILL_H

#include "measure/workload.h"

/* COUNT elements uniform in [low, high), integers in [low, high]; both 0: [-1, 1) for floats,
 * and -4 to 4, or 0 to 8, or 0 to 1, for signed, unsigned and bool. The values depend on SEED and
 * INDEX (the argument's place) alone. */
void fill_random(enum dtype t, void *data, int64_t count, double low, double high, uint64_t seed,
		 int index);
/* Argument I of W as the runner fills it. */
void fill_arg(const struct workload *w, int i, void *data);

#endif
