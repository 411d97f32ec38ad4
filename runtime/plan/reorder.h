/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/reorder.h - better orders from a good one, by chance. */
#ifndef HONE_RUNTIME_PLAN_REORDER_H
#define HONE_RUNTIME_PLAN_REORDER_H

#include "runtime/plan/place.h"

/* Moves blocks that reach the top forward in ORDER, and others anywhere, as long as the plan does not
 * grow; until it takes LIMIT bytes or it is DEADLINE on clock_s(). X is left with the best plan;
 * returns its bytes. */
int64_t reorder(struct placing *x, int *order, int64_t limit, double deadline);

#endif
