/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/kernels_json.h - the tables of register kernels as a part of a device's JSON:
 *
 *	{ TARGET: { "spread": 1.02, KIND: [[rows, vectors, gops], ...], ... }, ... }
 */
#ifndef HONE_MEASURE_DEVICE_KERNELS_JSON_H
#define HONE_MEASURE_DEVICE_KERNELS_JSON_H

#include "measure/device/device.h"

/* Those that are known; a new reference. */
json_t *kernels_json(const struct device_measured *m);
/* Into M, which has none. NULL stands for none: a description of before there were any. Targets and kinds that this hone
 * does not know are left out. False where it is not that form, or no figure that a machine can have. */
bool kernels_parse(const json_t *json, struct device_measured *m);

#endif
