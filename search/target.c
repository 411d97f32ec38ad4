/* SPDX-License-Identifier: Apache-2.0 */
/* search/target.c - from a device to what a search needs of it. */
#include "search/target.h"

struct target target_of(const struct device *d, int threads)
{
	return (struct target){
		.vector_bytes = d->vector_bytes,
		.registers = d->vector_registers,
		.threads = threads,
		.cost = { .vector_bytes = d->vector_bytes,
			  .registers = d->vector_registers,
			  .threads = threads,
			  .l1_bytes = (double)device_cache_bytes(d, 1),
			  .l2_bytes = (double)device_cache_bytes(d, 2),
			  .l3_bytes = (double)device_cache_bytes(d, 3),
			  .peak = device_peak(d, 1),
			  .l2_gbs = d->measured.l2.one,
			  .mem_gbs = device_mem_rate(d, threads) },
	};
}
