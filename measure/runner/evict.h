/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/evict.h - takes some data out of the caches of all cores, and leaves the rest there.
 *
 * In:   where the data is.
 * Out:  caches that hold nothing of it. */
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

#endif
