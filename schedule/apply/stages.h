/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply/stages.h - what a function that applies steps is, and those of other files. */
#ifndef HONE_SCHEDULE_APPLY_STAGES_H
#define HONE_SCHEDULE_APPLY_STAGES_H

#include "schedule/state.h"

static inline struct stage *stage_at(struct state *s, int i)
{
	return s->stages.at[i];
}

/* What a step does. False, with the state as it was and a reason, where it is not legal here. */
typedef bool apply_fn(struct state *s, const struct step *step, const char **why);

apply_fn apply_collapse, apply_widen, apply_inline, apply_cache_write, apply_cache_read, apply_rfactor, apply_derive, apply_place, apply_layout, apply_stream,
	apply_prefetch, apply_pipeline;

/* NAME with SUFFIX, in A; a printf of each would be a good part of a step's time. */
const char *joined(struct arena *a, const char *name, const char *suffix);
/* NAME, or a longer one where a stage has that. */
const char *unused_name(const struct state *s, const char *name);
/* Puts a stage that computes OP, and is IDENTITY in loads, into the order, before (or after) stage NEIGHBOUR. Its
 * number. */
int insert_stage(struct state *s, const struct op *op, const struct tensor *identity, int neighbour, bool after);
/* Makes G a stage that computes OP, its loops as written, stored and rounded as it was. */
void rebuild_stage(struct arena *a, struct stage *g, const struct op *op);
/* Another stage reads what G reads, or reads it in another way: what is computed of that may be another region. */
void touch_sources(struct state *s, const struct stage *g);

/* Refuses with a reason. */
#define REFUSE(reason)                                                                             \
	do {                                                                                       \
		*why = (reason);                                                                   \
		return false;                                                                      \
	} while (0)

#endif
