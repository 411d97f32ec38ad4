/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/told.h - what was told of the candidates of a batch, by their steps.
 *
 * In:   the steps of candidates that were grown.
 * Out:  a place for each list of steps, where what lowering told is kept.
 * Holds: two of five that generations grow are ones that the same batch had before (45 and 40%, counted in campaigns of a
 *        matmul and of a convolution); lowering and features are four fifths of what one takes. */
#ifndef HONE_SEARCH_SPACE_GENES_TOLD_H
#define HONE_SEARCH_SPACE_GENES_TOLD_H

#include "base/arena.h"
#include "costmodel/features/feature.h"

/* Of one list of steps. */
struct told {
	const char *steps;
	bool known;		/* the rest was filled in */
	const char *refused;	/* why they make no program; NULL: they do */
	struct feature_matrix features;
	const char *kind;
	struct told *next;	/* in the same bucket */
};

struct told_table;

/* An empty one, in A. */
struct told_table *told_new(struct arena *a);
/* The place of STEPS, which are copied into A, that of ALL, where they are new. Without ALL (NULL) each is. */
struct told *told_of(struct told_table *all, struct arena *a, const char *steps);

#endif
