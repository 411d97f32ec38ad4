/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/step.h - the steps that make a schedule; a list of them is the only truth about one.
 *
 * Stages and iters are named by numbers that never change: an op of the DAG by its position, a
 * stage that a step made by the next number; an iter by the order of creation in its stage, the
 * op's space axes first, then its reduce axes. So a list outlives a renaming. */
#ifndef HONE_SCHEDULE_STEP_H
#define HONE_SCHEDULE_STEP_H

#include "base/text.h"
#include "base/vec.h"

enum step_kind {
#define X(name, text, fields) STEP_##name,
#include "schedule/step.def"
#undef X
	STEP_KIND_COUNT
};

/* What becomes of a last tile that is not whole. */
enum tail {
	TAIL_LOOP,	/* a main loop, and a remainder with fewer turns */
	TAIL_SHIFT,	/* the last tile moves back and overlaps its neighbour */
};

enum { STEP_MAX_ITERS = 32 };

struct step {
	enum step_kind kind;
	int stage;
	int iter;
	int target;		/* the other stage */
	enum tail tail;
	int64_t size;
	int n;			/* of list: iters, or dims */
	int list[STEP_MAX_ITERS];
};

struct step_vec VEC(struct step);

struct state;

/* One line, without line end. With STATE (to which the step has not been applied yet) stages and
 * iters are written by name, else by number. */
void step_print(struct text *t, struct step step, const struct state *state);
/* Reads one step; names are looked up in STATE. -1 and a message where that fails. */
int step_scan(struct scan *s, const struct state *state, struct step *out);

const char *step_name(enum step_kind k);
/* The fields as in step.def. */
const char *step_fields(enum step_kind k);

/* The steps by numbers, separated by "; ": the form that records keep. In A. */
char *steps_text(struct arena *a, const struct step_vec *steps);

#endif
