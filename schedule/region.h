/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/region.h - what one turn of the loop that a stage is attached to needs of it. */
#ifndef HONE_SCHEDULE_REGION_H
#define HONE_SCHEDULE_REGION_H

#include "schedule/state.h"

/* Sets the region of attached STAGE, whose readers' values and regions are derived. False where it has none that is
 * linear in the loops around. */
bool region_derive(struct state *s, int stage);

#endif
