/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/probe.h - the loops that device_probe times. */
#ifndef HONE_MEASURE_DEVICE_PROBE_H
#define HONE_MEASURE_DEVICE_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "measure/device/device.h"

/* Microseconds of the fixed kernel (measure/timing/burst.h): the least
 * of many runs, for what disturbs one only ever slows it. A look of 0.3 s, or a short one where that
 * gives about KEPT. */
double probe_fixed_us(double kept);

/* Bytes of a set that is read from the third level when each of THREADS threads has one, where second levels are of L2 bytes and the third of L3: 0
 * where none is sure to be. */
int64_t probe_l3_set(int64_t l2, int64_t l3, int threads);

/* Peak and bandwidths, 1 and d->threads threads; needs probed caches. */
int probe_rates(struct device *d);

#endif
