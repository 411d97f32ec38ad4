/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/narrow.h - where f16 and bf16 are widened and rounded in a nest.
 *
 * A narrow tensor is rounded once, where it is stored under its own type: an output, or an
 * intermediate of the whole program that is no reduction. Everything else is f32: what reductions
 * gather, the partial results of rfactor, whatever is local to a loop.
 *
 * Holds: in the expressions of a nest narrow types are only at loads, which a cast widens, and at
 *        casts to them; no store reduces into a narrow buffer. */
#ifndef HONE_SCHEDULE_NARROW_H
#define HONE_SCHEDULE_NARROW_H

#include "schedule/nest.h"

/* The type in which a buffer of KIND holds the values of stage G. */
enum dtype narrow_held_as(const struct stage *g, enum buffer_kind kind);
/* Does OUTPUT need another buffer for what its stage G gathers? */
bool narrow_gathers_apart(const struct stage *g, const struct buffer *output);

/* Leaf or cast E, whose parts are lowered already, in the type of arithmetic. */
const struct expr *narrow_widened(struct arena *a, const struct expr *e);
/* VALUE as a buffer of type T holds it. */
const struct expr *narrow_stored(struct arena *a, enum dtype t, const struct expr *value);

/* Loops that copy FROM to TO, of one shape, in vectors of LANES; the outermost one PARALLEL. */
struct nest *narrow_copy(struct arena *a, struct buffer *to, const struct buffer *from,
			 bool parallel, int lanes);

#endif
