/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply_stages.h - what a function that applies steps is, and those of other files. */
#ifndef HONE_SCHEDULE_APPLY_STAGES_H
#define HONE_SCHEDULE_APPLY_STAGES_H

#include "schedule/state.h"

static inline struct stage *stage_at(struct state *s, int i)
{
	return s->stages.at[i];
}

/* What a step does. False, with the state as it was and a reason, where it is not legal here. */
typedef bool apply_fn(struct state *s, const struct step *step, const char **why);

apply_fn apply_inline, apply_cache_write, apply_cache_read, apply_rfactor, apply_place, apply_layout;

/* Refuses with a reason. */
#define REFUSE(reason)                                                                             \
	do {                                                                                       \
		*why = (reason);                                                                   \
		return false;                                                                      \
	} while (0)

#endif
