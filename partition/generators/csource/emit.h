/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/csource/emit.h - a region as C source: constants that say what each call is, and
 * a function that makes the calls.
 *
 *	const char *const region_calls[];	names of the kernels, in order
 *	const size_t region_scratch_bytes;
 *	int region_run(inputs, outputs, constants, scratch, threads);
 *
 * The last gives 0, or the number of the call that failed, from 1 on. CONSTANTS are those of the region, in
 * the order of its tensors; SCRATCH is aligned to EMIT_ALIGN. */
#ifndef HONE_PARTITION_GENERATORS_CSOURCE_EMIT_H
#define HONE_PARTITION_GENERATORS_CSOURCE_EMIT_H

#include "base/text.h"
#include "include/hone_generator.h"
#include "include/hone_kernels.h"

enum { EMIT_ALIGN = 64 };

/* C as the user's kernels see it, in A; NULL: it has elements of a type that they have no name for. */
const struct hone_kernel_call *emit_call(struct arena *a, const struct hone_region *r,
					 const struct hone_region_call *c);
/* Appends the source of R, whose calls emit_call() can all give. */
void emit_region(struct text *out, const struct hone_region *r);

#endif
