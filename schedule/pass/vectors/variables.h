/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/variables.h - variables of vectors that passes make: one for each turn of written-out loops around lanes.
 *
 * Loops are those AROUND a place, N of them, the lanes last. */
#ifndef HONE_SCHEDULE_PASS_VECTORS_VARIABLES_H
#define HONE_SCHEDULE_PASS_VECTORS_VARIABLES_H

#include "schedule/nest.h"

/* Allocates them, of f32, under a NAME that printing makes unique; their buffer is in *B. */
struct nest *variables_new(struct arena *a, const char *name, const struct nest *const *around, int n, struct buffer **b);
/* The element of the turns and the lane that a place is in. */
const struct expr *variables_load(struct arena *a, const struct buffer *b, const struct nest *const *around, int n);
/* Fills all with VALUE, in loops like those around. */
struct nest *variables_fill(struct arena *a, struct buffer *b, const struct nest *const *around, int n, const struct expr *value);

#endif
