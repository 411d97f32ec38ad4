/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/stage.h - what the files that make and change stages share. */
#ifndef HONE_SCHEDULE_STAGE_H
#define HONE_SCHEDULE_STAGE_H

#include "schedule/state.h"

/* A stage that computes OP, with its axes as loops; IDENTITY is the tensor that loads name. */
struct stage *stage_new(struct arena *a, const struct op *op, const struct tensor *identity);
/* Gives G another expression. */
void stage_set_body(struct arena *a, struct stage *g, const struct expr *body);

static inline struct stage *stage_at(struct state *s, int i)
{
	return s->stages.at[i];
}

/* Notes that something derived of G is not what it was. */
static inline void stage_touch(struct stage *g, enum stale stale)
{
	if (g->stale < stale)
		g->stale = stale;
}

/* Derives anew what depends on stages that were touched. False where a region cannot be found. */
bool state_refresh(struct state *s);

/* What a step does. False, with the state as it was and a reason, where it is not legal here. */
typedef bool apply_fn(struct state *s, const struct step *step, const char **why);

apply_fn apply_inline, apply_cache_write, apply_cache_read, apply_rfactor;

/* Refuses with a reason. */
#define REFUSE(reason)                                                                             \
	do {                                                                                       \
		*why = (reason);                                                                   \
		return false;                                                                      \
	} while (0)

#endif
