/* SPDX-License-Identifier: Apache-2.0 */
/* te/inputs.c - ranges and grids of test data, by asking te/index/domain.h what would come of them. */
#include "te/inputs.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
	/* Random data: more bits than f32 has, so that all of its own vary; few enough that
	 * products of four stay among the normal numbers. */
	RANDOM_BITS = 30,
	/* Exact data: eight numbers in [-1, 1] without 0, fewer where sums would not be exact. */
	EXACT_BITS = 3,
	/* Passes over the inputs: one may need another's range before its own. */
	PASSES = 3,
	/* Ranges are tried up to so large (2^n) and so small (2^-n). */
	LARGE = 12,
	SMALL = 8,
	/* Where data is clamped, the exact set reaches at least so far (2^n): relu6 and hard_swish,
	 * the clamps of models, act beyond 6 and 3. */
	WIDE = 3,
};

struct domain inputs_grid(enum dtype t, double low, double high, int bits)
{
	double quantum = dtype_is_float(t) ? ldexp(1, ilogb(high - low) - bits) : 1;

	return (struct domain){ ceil(low / quantum) * quantum, floor(high / quantum) * quantum,
				quantum };
}

/* An input whose range nobody chose. */
static bool is_free(const struct op *op)
{
	double low, high;

	dag_usual_range(op->tensor.dtype, &low, &high);
	return op->kind != OP_COMPUTE && op->low == low && op->high == high;
}

/* The range of try N, the usual one first; false beyond the last. Narrow ones around zero come
 * before those away from it, where exp and its like may leave nothing but zeros. */
static bool range_of_try(int n, double *low, double *high)
{
	if (n <= SMALL) {
		*high = ldexp(1, -n);
		*low = -*high;
		return true;
	}
	n -= SMALL + 1;		/* 1/2..1, -1..-1/2, 1..2, ... */
	double end = ldexp(1, n / 2);

	*low = n % 2 ? -end : end / 2;
	*high = n % 2 ? -end / 2 : end;
	return n / 2 <= LARGE;
}

/* Tries all ranges for input I; the number of troubles that are left. */
static int choose_one(const struct dag *d, int i, struct domain *of, int troubles)
{
	enum dtype t = d->ops.at[i]->tensor.dtype;
	struct domain best = of[i];
	double low, high;

	for (int n = 0; troubles > 0 && range_of_try(n, &low, &high); n++) {
		of[i] = inputs_grid(t, low, high, RANDOM_BITS);
		int left = domains_of_dag(d, of).troubles;

		if (left < troubles) {
			troubles = left;
			best = of[i];
		}
	}
	of[i] = best;
	return troubles;
}

static void choose_ranges(const struct dag *d, struct domain *of)
{
	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE)
			of[i] = inputs_grid(op->tensor.dtype, op->low, op->high, RANDOM_BITS);
	}
	int troubles = domains_of_dag(d, of).troubles;

	for (int pass = 0; pass < PASSES && troubles > 0; pass++)
		for (int i = 0; i < d->ops.n; i++)
			if (is_free(d->ops.at[i]) && dtype_is_float(d->ops.at[i]->tensor.dtype))
				troubles = choose_one(d, i, of, troubles);
}

/* Free inputs between -REACH and REACH. */
static struct domains widen(const struct dag *d, struct domain *of, double reach)
{
	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (is_free(op) && op->tensor.dtype != DTYPE_BOOL)
			of[i] = inputs_grid(op->tensor.dtype, op->low < 0 ? -reach : 0, reach,
					    RANDOM_BITS);
	}
	return domains_of_dag(d, of);
}

/* Wide enough that every clamp is reached, from both sides: one that is missing shows. */
static void reach_clamps(struct arena *a, const struct dag *d, struct domain *of)
{
	size_t bytes = sizeof(*of) * (size_t)d->ops.n;
	struct domain *best = arena_memdup(a, of, bytes);
	struct domains usual = domains_of_dag(d, of);
	int decided = INT_MAX;

	for (int n = WIDE; usual.threshold > 0 && decided > 0 && n <= LARGE; n++) {
		struct domains wide = widen(d, of, ldexp(1, n));

		if (wide.troubles > usual.troubles || wide.decided >= decided)
			continue;
		decided = wide.decided;
		memcpy(best, of, bytes);
	}
	memcpy(of, best, bytes);
}

/* Reductions and outputs that may round. */
static int count_inexact(const struct dag *d, const struct domain *of)
{
	int n = 0;

	for (int i = 0; i < d->ops.n; i++)
		n += d->ops.at[i]->kind == OP_COMPUTE &&
		     !domain_is_exact(of[i], precision_of_arithmetic(d->ops.at[i]->tensor.dtype));
	return n;
}

static void coarsen(const struct dag *d, struct domain *of, const struct domain *range, int bits)
{
	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind != OP_COMPUTE)
			of[i] = inputs_grid(d->ops.at[i]->tensor.dtype, range[i].low, range[i].high,
					    bits);
	domains_of_dag(d, of);
}

/* The most bits with which as few ops round as with any. */
static void choose_bits(struct arena *a, const struct dag *d, struct domain *of)
{
	struct domain *range = arena_memdup(a, of, sizeof(*of) * (size_t)d->ops.n);
	int best = 1, fewest = 0;

	for (int bits = 1; bits <= EXACT_BITS; bits++) {
		coarsen(d, of, range, bits);
		int inexact = count_inexact(d, of);

		if (bits == 1 || inexact <= fewest) {
			fewest = inexact;
			best = bits;
		}
	}
	coarsen(d, of, range, best);
}

int inputs_choose(struct arena *a, const struct dag *d, enum input_set set, struct domain *of,
		  const char **what)
{
	choose_ranges(d, of);
	if (set == INPUTS_EXACT) {
		reach_clamps(a, d, of);
		choose_bits(a, d, of);
	}
	struct domains found = domains_of_dag(d, of);

	if (what)
		*what = found.troubles ? arena_printf(a, "%s in %s", trouble_text(found.first),
						      found.at->tensor.name)
				       : NULL;
	return found.troubles;
}
