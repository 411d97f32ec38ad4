/* SPDX-License-Identifier: Apache-2.0 */
/* partition/kernels.h - what hone would run as one kernel, as generators of HONE_KERNELS see it.
 *
 * In:   a fused function as it is applied: with the constants among its arguments, and the storages of
 *       its images.
 * Out:  a region of all of its calls, and who would compute it. */
#ifndef HONE_PARTITION_KERNELS_H
#define HONE_PARTITION_KERNELS_H

#include "graph/task/cut.h"
#include "partition/generators.h"
#include "partition/view.h"

struct kernel_region {
	const struct function *function;	/* constants are bindings of it, all else are parameters */
	const int *argument;		/* by parameter, which argument of the application it is */
	struct flow flow;
	const struct region_view *view;
};

/* The region of FROM, in A; NULL where it has none: a shape is not known, or a constant is yet to be made. */
const struct kernel_region *kernel_region_new(struct arena *a, const struct cut_from *from);
/* The pattern of B that matches all of R, where B does not refuse it. NULL, and *WHY (in A). */
const char *kernel_claimed(struct arena *a, const struct backend *b, const struct kernel_region *r,
			   const char **why);

#endif
