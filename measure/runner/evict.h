/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/evict.h - takes some data out of the caches of all cores, and leaves the rest there; or lets each thread take its part of it
 * in again.
 *
 * In:   where the data is.
 * Out:  caches that hold nothing of it; then, those of each thread's core, a part of it. */
#ifndef HONE_MEASURE_RUNNER_EVICT_H
#define HONE_MEASURE_RUNNER_EVICT_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/runner/workload.h"

struct evicted {
	int n;
	struct {
		const void *data;
		size_t bytes;
	} at[WORKLOAD_ARGS];
};

/* Has this machine an instruction for it? */
bool can_evict(void);
/* Waits until all is done. */
void evict(const struct evicted *e);
/* THREAD of THREADS reads its part of each: as many lines as every other, in the order in which they lie. */
void evicted_take(const struct evicted *e, int thread, int threads);

#endif
