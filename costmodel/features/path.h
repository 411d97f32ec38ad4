/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/path.h - the conditions on the way to a store, and the share of turns in which they hold.
 *
 * In:   conditions, and lets, from the outermost inwards.
 * Out:  of each the share of those turns in which the ones before hold, that it leaves.
 * Holds: what two conditions have in common counts once. Exact for few turns of loops, a sample of them for many. */
#ifndef HONE_COSTMODEL_FEATURES_PATH_H
#define HONE_COSTMODEL_FEATURES_PATH_H

#include "base/vec.h"
#include "te/index/index.h"

/* What a let says of its axis. */
struct path_let {
	const struct axis *axis;
	const struct expr *value;
};

struct condition_path {
	struct condition_vec VEC(struct linear) conditions;	/* of indices, each of them at least 0 */
	struct path_let_vec VEC(struct path_let) lets;
};

/* From here on AXIS is VALUE: it takes not all of its range alike. min(16 * i, 29) is 0, 16 and 29. */
void path_let(struct arena *a, struct condition_path *p, const struct axis *axis, const struct expr *value);

/* Adds CONDITION, or where it does NOT hold, and returns its share. What is no comparison of arithmetic of axes is
 * not remembered. */
double path_enter(struct arena *a, struct condition_path *p, const struct expr *condition, bool not);

#endif
