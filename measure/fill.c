/* SPDX-License-Identifier: Apache-2.0 */
/* measure/fill.c - seeded random numbers in every element type. */
#include "measure/fill.h"

#include <math.h>

#include "base/rng.h"

static void default_range(enum dtype t, double *low, double *high)
{
	if (*low != 0 || *high != 0)
		return;
	*low = dtype_is_float(t) ? -1 : t == DTYPE_U8 || t == DTYPE_BOOL ? 0 : -4;
	*high = dtype_is_float(t) ? 1 : t == DTYPE_U8 ? 8 : t == DTYPE_BOOL ? 1 : 4;
}

void fill_random(enum dtype t, void *data, int64_t count, double low, double high, uint64_t seed,
		 int index)
{
	/* Neighbouring arguments must not get the same numbers: spread the index over the seed. */
	struct rng r = rng_seed(seed ^ ((uint64_t)index + 1) * 0x9e3779b97f4a7c15u);

	default_range(t, &low, &high);
	if (t == DTYPE_F32) {	/* the usual case, without a call for each element */
		float *f = data;

		for (int64_t i = 0; i < count; i++)
			f[i] = (float)(low + (high - low) * rng_unit(&r));
		return;
	}
	for (int64_t i = 0; i < count; i++) {
		double u = rng_unit(&r);

		if (dtype_is_float(t))
			dtype_store(t, data, i, low + (high - low) * u);
		else
			dtype_store(t, data, i, floor(low + (high - low + 1) * u));
	}
}

void fill_arg(const struct workload *w, int i, void *data)
{
	const struct workload_arg *a = &w->args[i];

	fill_random(a->dtype, data, a->count, a->low, a->high, w->seed, i);
}
