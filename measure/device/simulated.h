/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/simulated.h - a VDLA as a device. */
#ifndef HONE_MEASURE_DEVICE_SIMULATED_H
#define HONE_MEASURE_DEVICE_SIMULATED_H

#include "measure/device/device.h"
#include "target/vdla/machine.h"

/* The device that M describes, in A: its figures follow from that, and so does its fingerprint. */
struct device *device_simulated(struct arena *a, const struct vdla_machine *m);
/* What D, which is simulated, was described by; -1 and a message where its description is damaged. */
int device_machine(const struct device *d, struct vdla_machine *out);
bool device_is_simulated(const struct device *d);

#endif
