/* SPDX-License-Identifier: Apache-2.0 */
/* search/sample.h - fills what a sketch leaves open. */
#ifndef HONE_SEARCH_SAMPLE_H
#define HONE_SEARCH_SAMPLE_H

#include "base/rng.h"
#include "search/sketch.h"

/* What a sampler knows of the device. */
struct target {
	int vector_bytes;
	int registers;	/* vector registers */
	int threads;	/* that the kernel may use */
};

/* A random complete state of SKETCH in A: the same for the same random numbers. NULL where the
 * choices did not fit together: try again. */
struct state *sample(struct arena *a, const struct dag *dag, const struct sketch *sketch,
		     const struct target *target, struct rng *rng);

#endif
