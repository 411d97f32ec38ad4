/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/target.h - what schedules for a VDLA of certain sizes may have. */
#ifndef HONE_TARGET_VDLA_TARGET_H
#define HONE_TARGET_VDLA_TARGET_H

#include "target/target.h"
#include "target/vdla/machine.h"

/* target_vdla with M's scratchpads, in A. */
const struct target *vdla_target(struct arena *a, const struct vdla_machine *m);

#endif
