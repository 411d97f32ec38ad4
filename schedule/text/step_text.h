/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/text/step_text.h - steps as text: one a line, or separated by "; ". */
#ifndef HONE_SCHEDULE_TEXT_STEP_TEXT_H
#define HONE_SCHEDULE_TEXT_STEP_TEXT_H

#include "schedule/state.h"

/* One line, without line end. With STATE (to which the step has not been applied yet) stages and
 * iters are written by name, else by number. */
void step_print(struct text *t, struct step step, const struct state *state);
/* Reads one step; names are looked up in STATE. -1 and a message where that fails. */
int step_scan(struct scan *s, const struct state *state, struct step *out);

/* The steps by numbers, separated by "; ": the form that records keep. In A. */
char *steps_text(struct arena *a, const struct step_vec *steps);

/* Reads steps (one a line or separated by ;) and applies them. NULL and a message on failure. */
struct state *state_parse(struct arena *a, const struct dag *dag, const char *file,
			  const char *text);
/* One step a line, by name. */
void state_print(struct text *t, const struct state *s);

#endif
