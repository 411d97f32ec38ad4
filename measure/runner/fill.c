/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/fill.c - seeded random numbers in every element type. */
#include "measure/runner/fill.h"

#include <math.h>

#include "base/rng.h"

/* As te/inputs.c has it for random data. */
enum { FINE_BITS = 30 };

static void default_range(enum dtype t, double *low, double *high)
{
	if (*low != 0 || *high != 0)
		return;
	*low = dtype_is_float(t) ? -1 : t == DTYPE_U8 || t == DTYPE_BOOL ? 0 : -4;
	*high = dtype_is_float(t) ? 1 : t == DTYPE_U8 ? 8 : t == DTYPE_BOOL ? 1 : 4;
}

/* Multiples FIRST to FIRST + STEPS - 1 of a quantum, and what stands for 0. */
struct grid {
	double first, steps, quantum;
	double zero;
};

static struct grid grid_of(enum dtype t, double low, double high, double quantum)
{
	if (!dtype_is_float(t))
		quantum = 1;
	else if (quantum == 0)
		quantum = high > low ? ldexp(1, ilogb(high - low) - FINE_BITS) : 1;
	struct grid g = { .first = ceil(low / quantum), .quantum = quantum };

	g.steps = fmax(floor(high / quantum) - g.first + 1, 1);
	if (dtype_is_float(t))
		g.zero = quantum <= high ? quantum : -quantum >= low ? -quantum : 0;
	return g;
}

static inline double draw(const struct grid *g, struct rng *r)
{
	double v = (g->first + floor(g->steps * rng_unit(r))) * g->quantum;

	return v == 0 ? g->zero : v;
}

void fill_grid(enum dtype t, void *data, int64_t count, double low, double high, double quantum,
	       uint64_t seed, int index)
{
	/* Neighbouring arguments must not get the same numbers: spread the index over the seed. */
	struct rng r = rng_seed(seed ^ ((uint64_t)index + 1) * 0x9e3779b97f4a7c15u);

	default_range(t, &low, &high);
	struct grid g = grid_of(t, low, high, quantum);

	if (t == DTYPE_F32) {	/* the usual case, without a call for each element */
		float *f = data;

		for (int64_t i = 0; i < count; i++)
			f[i] = (float)draw(&g, &r);
		return;
	}
	for (int64_t i = 0; i < count; i++)
		dtype_store(t, data, i, draw(&g, &r));
}

void fill_random(enum dtype t, void *data, int64_t count, double low, double high, uint64_t seed,
		 int index)
{
	fill_grid(t, data, count, low, high, 0, seed, index);
}

void fill_arg_of(const struct workload *w, enum input_set set, int i, void *data)
{
	const struct workload_arg *a = &w->args[i];
	const struct domain *range = &a->range[set];

	/* Another set, other numbers. */
	fill_grid(a->dtype, data, a->count, range->low, range->high, range->quantum,
		  w->seed + (uint64_t)set, i);
}

void fill_arg(const struct workload *w, int i, void *data)
{
	fill_arg_of(w, INPUTS_RANDOM, i, data);
}
