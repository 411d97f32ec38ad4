/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/combine.h - vector loops whose turns all go to one element: for the pass vectorize. */
#ifndef HONE_SCHEDULE_PASS_VECTORS_COMBINE_H
#define HONE_SCHEDULE_PASS_VECTORS_COMBINE_H

#include "schedule/pass/vectors/lanes.h"

/* Turns of vector loop N from *END on as loops of whole vectors, where N combines its turns to one element and does
 * nothing else; *END becomes the first turn that is left. NULL where there is none such. */
struct nest *combine_turns(const struct vectorizer *v, const struct nest *n, int64_t *end);

#endif
