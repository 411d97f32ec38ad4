/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/program.h - a region as one program of a VDLA: a launch for each kernel.
 *
 * In:   a region's graph of images (images.h), and options.
 * Out:  a binary. Its tensors are the graph's parameters, its results, and constants with their data, as kernels read them;
 *       images are in blocks of 16 channels.
 * Holds: what lies between kernels is in memory that only those share that are not needed at once. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_PROGRAM_H
#define HONE_PARTITION_GENERATORS_VDLA_PROGRAM_H

#include "graph/ir/ir.h"
#include "partition/generators/vdla/options.h"
#include "target/vdla/binary.h"

/* In A; NULL and a message that names the kernel for which there are no instructions. */
struct vdla_binary *vdla_program_of(struct arena *a, struct graph *images, const struct vdla_options *o);

#endif
