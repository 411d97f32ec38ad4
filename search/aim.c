/* SPDX-License-Identifier: Apache-2.0 */
/* search/aim.c - the figures of a device that matter to features and cost models. */
#include "search/aim.h"

static const struct register_kernels *kernels_of(const struct device *d)
{
	const struct register_kernels *k = &d->measured.kernels[target_number(d->target)];

	return k->spread > 0 ? k : NULL;
}

struct aim aim_of(const struct device *d, int threads, enum cache_state cache)
{
	return (struct aim){
		.target = d->target,
		.threads = threads,
		.cold_weights = cache == CACHE_COLD_WEIGHTS,
		.l1_bytes = (double)device_cache_bytes(d, 1),
		.l2_bytes = (double)device_cache_bytes(d, 2),
		.l3_bytes = (double)device_cache_bytes(d, 3),
		.peak = device_peak(d, 1),
		.half_peak = d->target->half ? d->measured.peak[target_number(d->target->half)].one : 0,
		.l2_gbs = d->measured.l2.one,
		.l3_gbs = device_l3_rate(d, threads),
		.mem_gbs = device_mem_rate(d, threads),
		.kernels = kernels_of(d),
	};
}
