/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/kernel.h - the fastest instructions for a DAG that a database has or a short search finds.
 *
 * In:   a frozen DAG, whose images are in blocks of 16 channels, and options.
 * Out:  the program whose arguments are the DAG's, and a VDLA's binary of it.
 * Holds: the same DAG, machine and records give the same. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_KERNEL_H
#define HONE_PARTITION_GENERATORS_VDLA_KERNEL_H

#include "partition/generators/vdla/options.h"
#include "schedule/nest.h"
#include "target/vdla/binary.h"

struct vdla_kernel {
	const struct program *program;
	const struct vdla_binary *binary;	/* its tensors are the arguments, in memory from 0 on */
	int64_t cycles;		/* with the launch */
};

/* In A; NAME is D's to people. -1 and a message where a VDLA has no instructions for D. */
int vdla_kernel_find(struct arena *a, const struct dag *d, const char *name, const struct vdla_options *o, struct vdla_kernel *out);

#endif
