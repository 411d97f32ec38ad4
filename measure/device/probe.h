/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/probe.h - the loops that device_probe times. */
#ifndef HONE_MEASURE_DEVICE_PROBE_H
#define HONE_MEASURE_DEVICE_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "measure/device/device.h"

/* Microseconds of timing_calibration(), the kernel that every sample is interleaved with: the least
 * of many runs, for what disturbs one only ever slows it. A look of 0.3 s, or a short one where that
 * gives about KEPT. */
double probe_fixed_us(double kept);

/* The latency curve into m->points, and from it d->caches[].probed. */
int probe_caches(struct device *d);
/* The second half of it: cache sizes from the points. */
void probe_read_curve(struct device *d);
/* Peak and bandwidths, 1 and d->threads threads; needs probed caches. */
int probe_rates(struct device *d);

/* SIZE bytes, written once, on huge pages where the system has them; NULL and a message. Release
 * with munmap. */
void *probe_map(size_t size);
/* The largest set that a probe may take: PROBE_LARGEST, less on a machine short of memory. */
size_t probe_largest(void);

#endif
