/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/refresh.h - what follows from the structure of a state. */
#ifndef HONE_SCHEDULE_REFRESH_H
#define HONE_SCHEDULE_REFRESH_H

#include "schedule/state.h"

/* Derives anew what depends on stages that were touched, but for values of iters. False where a region cannot be
 * found. */
bool state_refresh(struct state *s);
/* What state_settle does, of stage G alone; in A. */
void stage_settle(struct arena *a, struct stage *g);
/* What the step that is being applied has changed: bit K is set where a stage has stale K. */
unsigned state_stale(const struct state *s);

#endif
