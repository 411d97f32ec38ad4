/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/probe_cache.h - how large caches are, by the latency of loads. */
#ifndef HONE_MEASURE_DEVICE_PROBE_CACHE_H
#define HONE_MEASURE_DEVICE_PROBE_CACHE_H

#include <stddef.h>

#include "measure/device/device.h"

/* The latency curve into m->points, and from it d->caches[].probed. */
int probe_caches(struct device *d);
/* The second half of it: cache sizes from the points. */
void probe_read_curve(struct device *d);

/* SIZE bytes, written once, on huge pages where the system has them; NULL and a message. Release
 * with munmap. */
void *probe_map(size_t size);
/* The largest set that a probe may take: PROBE_LARGEST, less on a machine short of memory. */
size_t probe_largest(void);

#endif
