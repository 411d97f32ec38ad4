/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/path.h - the conditions on the way to a store, and the share of turns in which they hold.
 *
 * In:   conditions, from the outermost inwards.
 * Out:  of each the share of those turns in which the ones before hold, that it leaves.
 * Holds: what two conditions have in common counts once. Exact for few turns of loops, a sample of them for many. */
#ifndef HONE_COSTMODEL_FEATURES_PATH_H
#define HONE_COSTMODEL_FEATURES_PATH_H

#include "base/vec.h"
#include "te/index/index.h"

/* Linear forms of axes, each of them at least 0. */
struct condition_path VEC(struct linear);

/* Adds CONDITION, or where it does NOT hold, and returns its share. What is no comparison of sums of axes is not
 * remembered. */
double path_enter(struct arena *a, struct condition_path *p, const struct expr *condition, bool not);

#endif
