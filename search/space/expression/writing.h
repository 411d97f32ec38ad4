/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/writing.h - what makes the text of a stage long: conditions, which are lanes, parts of loops or copies. */
#ifndef HONE_SEARCH_SPACE_EXPRESSION_WRITING_H
#define HONE_SEARCH_SPACE_EXPRESSION_WRITING_H

#include "schedule/state.h"

/* Of a stage, and of the reductions that are computed inside its loops and read along its dims. */
struct writing {
	int comparisons;	/* in its own body, as a tree */
	int cuts[TENSOR_MAX_DIMS];	/* at so many places along a dim what is computed changes, whatever the other dims are */
	int term;		/* statements of a term for each vector: lanes that no mask has the conditions of are computed one by one; 0: 1 */
	int result;	/* the same of what is stored behind its terms */
};

/* Of each stage of S, all of whose steps are taken but for sizes, on TARGET; in A. */
const struct writing *writing_of(struct arena *a, const struct state *s, const struct target *target);
/* Of how many kinds a tile of SIZE along an axis of EXTENT that changes at CUTS places is written: loops around it are
 * cut there. */
int64_t writing_kinds(int64_t extent, int64_t size, int cuts);

#endif
