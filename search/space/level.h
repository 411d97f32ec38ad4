/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/level.h - loops that are handled together, for rules that tile. */
#ifndef HONE_SEARCH_SPACE_LEVEL_H
#define HONE_SEARCH_SPACE_LEVEL_H

#include "search/space/sketch.h"

/* The loops of one level, outermost first. */
struct level {
	int at[STEP_MAX_ITERS];
	int n;
};

void level_push(struct level *l, int iter);
void level_append(struct level *l, const struct level *more);

/* These add steps to S; false where the state refuses one.
 *
 * Splits loop ITER of STAGE by SIZE, or by 0 for an open size; the new iters' numbers. */
bool sketch_split(struct sketch *s, int stage, int iter, int64_t size, enum role role, int *outer, int *inner);
bool sketch_reorder(struct sketch *s, int stage, const struct level *l, enum role role);
bool sketch_annotate(struct sketch *s, int stage, const struct level *l, enum annotation annotation);
bool sketch_border(struct sketch *s, int stage, const struct level *l, enum border border, enum role role);

#endif
