/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/pad.h - zeros behind the terms of a sum, as a step of a sketch. */
#ifndef HONE_SEARCH_SPACE_PAD_H
#define HONE_SEARCH_SPACE_PAD_H

#include "search/space/sketch.h"

/* Emits S with the terms of STAGE's sum made a multiple of M (te/derive/padded_sum.h): what constants become is computed
 * offline. Nothing where M is 0, or that cannot be. */
void pad_terms(struct sketcher *k, const struct sketch *s, int stage, int64_t m);

#endif
