/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/sample.h - fills what a sketch leaves open. */
#ifndef HONE_SEARCH_SPACE_SAMPLING_SAMPLE_H
#define HONE_SEARCH_SPACE_SAMPLING_SAMPLE_H

#include "base/rng.h"
#include "search/space/genes/genes.h"
#include "search/aim.h"

/* A complete state of SKETCH, which was made for AIM, in A: where FROM (may be NULL) has a gene that is
 * set it is followed, the rest is random, the same for the same random numbers. OUT (may be NULL) gets
 * the decisions, in A. NULL where they do not fit together: try again. */
struct state *sample(struct arena *a, const struct dag *dag, const struct sketch *sketch,
		     const struct aim *aim, struct rng *rng, const struct genes *from,
		     struct genes *out);

#endif
