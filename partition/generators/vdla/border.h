/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/border.h - tensors of the host in a VDLA's memory.
 *
 * There they are images [n, channels / 16, h, w, 16]; channels that a tensor has not are 0. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_BORDER_H
#define HONE_PARTITION_GENERATORS_VDLA_BORDER_H

#include "include/hone_generator.h"
#include "target/vdla/machine.h"

/* Bytes of T there; 0 where it is none of bytes or sums, images or rows. */
int64_t border_bytes(const struct hone_region_tensor *t);
/* From row-major elements at HOST to DEVICE, and back. */
void border_send(const struct hone_region_tensor *t, const void *host, void *device);
void border_fetch(const struct hone_region_tensor *t, const void *device, void *host);
/* Cycles that T takes on the way of M. */
int64_t border_cycles(const struct vdla_machine *m, const struct hone_region_tensor *t);

#endif
