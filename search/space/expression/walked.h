/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/walked.h - how the loops around a statement go over an operand. */
#ifndef HONE_SEARCH_SPACE_EXPRESSION_WALKED_H
#define HONE_SEARCH_SPACE_EXPRESSION_WALKED_H

#include "schedule/state.h"

/* Loops, how many elements of what is read a turn of each goes on by (0: it moves nothing, or not evenly), and how many
 * reads of others the loops inside of it do. */
struct walked {
	struct walked_loop {
		int stage, iter;
		int64_t by, inside;
	} at[2 * STEP_MAX_ITERS];	/* innermost first */
	int n;
};

/* Those around the statement of stage READER, and how they go over READ, as it is stored. */
struct walked walk_loops(struct arena *a, const struct state *s, int reader, int read);

#endif
