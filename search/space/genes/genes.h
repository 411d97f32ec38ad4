/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/genes.h - the decisions behind a state, as data.
 *
 * Holds: genes and their sketch make the same state again (search/space/sampling/sample.h), and a state that was
 *        sampled from a sketch tells its genes. */
#ifndef HONE_SEARCH_SPACE_GENES_GENES_H
#define HONE_SEARCH_SPACE_GENES_GENES_H

#include "search/space/sketch.h"

/* What was decided for one open step of a sketch. */
struct gene {
	bool set;
	bool left_out;		/* an optional step, a place at the root, loops that nobody shares */
	struct step step;	/* PARALLEL: `size` outer loops are shared as one */
};

/* All decisions behind a state: with them and the sketch it can be made again, or changed. */
struct genes {
	int sketch;		/* its number */
	int n;			/* as the sketch has steps */
	struct gene *at;
};

/* The decisions for which SKETCH gives STEPS; in A. False where it cannot. */
bool genes_of(struct arena *a, const struct sketch *sketch, const struct step_vec *steps,
	      struct genes *out);
struct genes genes_copy(struct arena *a, const struct genes *g);
/* A number for the algorithm and the register tiles that G decides for: the same for the same ones; 0 where there are no
 * such tiles. */
uint64_t genes_niche(const struct genes *g, const struct sketch *sketch);
/* In how many decisions two differ; INT32_MAX where they are of different sketches. */
int genes_distance(const struct genes *x, const struct genes *y);

#endif
