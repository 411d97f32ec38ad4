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

/* Peak and bandwidths, 1 and d->threads threads; needs probed caches. */
int probe_rates(struct device *d);

#endif
