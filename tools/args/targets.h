/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/targets.h - what kernels can be made for, for people and programs. */
#ifndef HONE_TOOLS_ARGS_TARGETS_H
#define HONE_TOOLS_ARGS_TARGETS_H

#include <argp.h>
#include <jansson.h>

#include "measure/device/device.h"

/* A child of a command's argp: --target TARGET, one that runs here. Its input is a const struct target *,
 * NULL by default. */
extern const struct argp target_argp;

/* On stdout: those that run here, with their peak rates on D. */
void targets_print(const struct device *d);
/* All of them; a new reference. */
json_t *targets_json(void);

#endif
