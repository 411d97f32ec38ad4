/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/lane_form.h - what of an expression is computed for all lanes of a vector at once: what has no form of C's
 * vectors is written lane by lane. */
#ifndef HONE_SCHEDULE_LANE_FORM_H
#define HONE_SCHEDULE_LANE_FORM_H

#include "te/expr.h"

/* Do vectors of T add, subtract, multiply, compare and choose? Integers wrap then as te/scalar.h says. */
bool lane_form_of(enum dtype t);
/* Is a vector of FROM converted to one of TO? */
bool lane_form_converts(enum dtype from, enum dtype to);
/* Has node E a form for all lanes, which are not the same for all of it? A select has one where its values have:
 * what becomes of its condition is for whoever asks. */
bool lane_form(const struct expr *e);

/* Bytes of the widest element in vectors that compute VALUE and store it as T: what a register has lanes for. */
size_t lane_form_bytes(const struct expr *value, enum dtype t);

#endif
