/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/fill.h - the random inputs of a workload; anybody can make the same ones again. */
#ifndef HONE_MEASURE_RUNNER_FILL_H
#define HONE_MEASURE_RUNNER_FILL_H

#include "measure/runner/workload.h"

/* COUNT elements uniform in [LOW, HIGH], whole multiples of QUANTUM (0: one so fine that it does
 * not matter; integers: 1). Floats are not 0 where they can be another multiple: a zero hides that
 * its neighbours were left out. LOW and HIGH both 0: [-1, 1] for floats, and -4 to 4, or 0 to 8,
 * or 0 to 1, for signed, unsigned and bool. The values depend on SEED and INDEX (the argument's
 * place) alone. */
void fill_grid(enum dtype t, void *data, int64_t count, double low, double high, double quantum,
	       uint64_t seed, int index);
/* The same with the quantum 0. */
void fill_random(enum dtype t, void *data, int64_t count, double low, double high, uint64_t seed,
		 int index);
/* Argument I of W as the runner fills it for timing, and for SET. */
void fill_arg(const struct workload *w, int i, void *data);
void fill_arg_of(const struct workload *w, enum input_set set, int i, void *data);

#endif
