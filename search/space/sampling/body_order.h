/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/body_order.h - in which order the statements of a written-out body come. */
#ifndef HONE_SEARCH_SPACE_SAMPLING_BODY_ORDER_H
#define HONE_SEARCH_SPACE_SAMPLING_BODY_ORDER_H

#include "base/rng.h"
#include "schedule/state.h"

/* Reorders the iters of STEP, a reorder of loops of stage G that will be written out, such that few
 * values wait in registers for another use: from some random orders on two of them change places as long as fewer do. */
void body_order(const struct stage *g, struct rng *rng, struct step *step);

#endif
