/* SPDX-License-Identifier: Apache-2.0 */
/* search/expect.c - a roofline, with the lanes that a kernel leaves empty, and what it does not see:
 * gathers, short loops, windows that do not fit a cache. */
#include "search/expect.h"

#include <math.h>

#include "search/strategies/generations.h"

/* Of the peak, where lanes are full: the median over the convolutions of resnet50 that the analytic
 * prior guessed (docs/performance.md). */
#define PEAK_SHARE 0.5

/* Less than a guess takes, for of all storages of a model most are not chosen: some 10 ms a task. */
static const struct generations effort = { .population = 32, .count = 2 };

/* The part of its lanes that a vector loop over the last dim of T uses. */
static double lanes_used(const struct tensor *t, const struct target *target)
{
	double lanes = target_lanes(target, dtype_bytes(t->dtype));
	double extent = t->ndim ? (double)t->shape[t->ndim - 1] : 1;

	return extent / (ceil(extent / lanes) * lanes);
}

static double roofline_us(const struct dag *d, const struct device *device, int threads)
{
	double bytes = 0, used = 1;

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE || op->output)
			bytes += (double)tensor_bytes(&op->tensor);
		if (op->kind == OP_COMPUTE && op->output)
			used = fmin(used, lanes_used(&op->tensor, device->target));
	}
	return fmax(dag_flop(d) * 1e-3 / (PEAK_SHARE * used * device_peak(device, threads)),
		    bytes * 1e-3 / device_mem_rate(device, threads));
}

/* By itself it would choose channels last for large filters, for it knows nothing of lines that share
 * a set of the cache: vgg19 took 1.36 times as long. So what it promises beyond the roofline is not
 * believed (docs/performance.md). */
static double prior_us(const struct task *t, const struct device *device, int threads)
{
	struct arena *a = arena_new();
	struct aim aim = aim_of(device, threads, CACHE_WARM);
	struct problem p;
	struct candidate *all;
	int n = generations_by_prior(a, t, &aim, effort, &p, &all);
	double us = n > 0 ? 1e6 / (double)all[0].score : EXPECT_NOTHING_US;

	arena_free(a);
	return us;
}

double expect_us(const struct task *t, const struct device *device, int threads)
{
	if (!device->measured.valid)
		return 0;
	return fmax(roofline_us(t->dag, device, threads), prior_us(t, device, threads));
}

double expect_passing_us(int64_t bytes, const struct device *device, int threads)
{
	if (!device->measured.valid || bytes / threads <= device_cache_bytes(device, 2))
		return 0;
	return 2 * (double)bytes * 1e-3 / device_mem_rate(device, threads);
}
