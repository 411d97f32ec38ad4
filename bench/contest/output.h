/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/output.h - are the outputs that a contestant wrote right? */
#ifndef HONE_BENCH_CONTEST_OUTPUT_H
#define HONE_BENCH_CONTEST_OUTPUT_H

#include "search/reference.h"

/* Compares FILE, of a contestant's `check`, with what R, D's reference, has for its random inputs.
 * NULL where all outputs are right, else what is not, in A. */
const char *output_fault(struct arena *a, const struct dag *d, const struct reference *r,
			 const char *file);

#endif
