/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/vary.h - new decisions from old ones. */
#ifndef HONE_SEARCH_SPACE_GENES_VARY_H
#define HONE_SEARCH_SPACE_GENES_VARY_H

#include "search/space/sampling/sample.h"

/* What a mutation takes back, for the sampler to decide anew; one line of search/space/genes/mutators.def. */
enum mutator {
#define X(name, weight, roles, meaning) MUTATE_##name,
#include "search/space/genes/mutators.def"
#undef X
	MUTATOR_COUNT
};

/* A copy of G, in A, with one or two decisions taken back. SKETCH is that of G. */
struct genes mutate(struct arena *a, const struct genes *g, const struct sketch *sketch,
		    struct rng *rng);
/* A copy of G, in A, with decision I taken back. */
struct genes genes_without(struct arena *a, const struct genes *g, int i);
/* The decisions of two parents of one sketch: those of each axis of each stage stay together. */
struct genes cross(struct arena *a, const struct genes *x, const struct genes *y,
		   const struct sketch *sketch, struct rng *rng);

#endif
