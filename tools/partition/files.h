/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition/files.h - what `hone partition` writes to files: the cut as a drawing, and what generators
 * compiled. */
#ifndef HONE_TOOLS_PARTITION_FILES_H
#define HONE_TOOLS_PARTITION_FILES_H

#include <argp.h>

#include "partition/offload.h"

/* The input of partition_files_argp; NULL is not written. */
struct partition_files_args {
	const char *dot, *svg;		/* files */
	const char *artifacts;		/* a folder, made where it is missing */
};

extern const struct argp partition_files_argp;

/* Writes what is asked for of CUT, of regions of BACKENDS. -1 and a message. */
int partition_files(struct arena *a, const struct partition_files_args *args, const struct offload *cut,
		    const struct backend *backends);

#endif
