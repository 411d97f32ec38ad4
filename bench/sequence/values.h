/* SPDX-License-Identifier: Apache-2.0 */
/* bench/sequence/values.h - where the values lie that steps hand to one another.
 *
 * In:   for each step, in the order in which they run, the values that it reads and writes.
 * Out:  for each value a buffer, and how many bytes each buffer needs.
 * Holds: no two values are in one buffer while both are needed; a value that no step writes is
 *        alone in its buffer, for it is needed again when the steps run again. */
#ifndef HONE_BENCH_SEQUENCE_VALUES_H
#define HONE_BENCH_SEQUENCE_VALUES_H

#include <stddef.h>

#include "base/vec.h"

struct value_use {
	int value;		/* from 0 */
	size_t bytes;
	bool written;		/* by this step; else read */
};

struct value_use_vec VEC(struct value_use);
struct value_bytes_vec VEC(size_t);

struct value_plan {
	const int *buffer;		/* of each value; -1 where no step uses it */
	const bool *written;		/* of each value: by some step */
	int n_values;
	struct value_bytes_vec bytes;	/* of each buffer */
};

/* The plan for N steps, in A. */
struct value_plan values_place(struct arena *a, const struct value_use_vec *steps, int n);

#endif
