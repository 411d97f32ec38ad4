/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/options.h - what --backend vdla=TEXT says.
 *
 * TEXT is a machine's FILE, or a list of key=value with commas between: machine=FILE, db=FILE of tuned kernels, trials=N that each
 * kernel shall have there. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_OPTIONS_H
#define HONE_PARTITION_GENERATORS_VDLA_OPTIONS_H

#include <limits.h>

#include "target/vdla/machine.h"

struct vdla_options {
	struct vdla_machine machine;
	char db[PATH_MAX];	/* "": none */
	int trials;		/* 0: none are made */
};

/* -1 and a message. */
int vdla_options_parse(const char *text, struct vdla_options *out);

#endif
