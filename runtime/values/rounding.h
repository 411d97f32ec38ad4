/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/values/rounding.h - how far two right computations of a model may be apart.
 *
 * Of floats of 32 bits and more that is AGREE_BOUND. Where a model makes integers or 16 bits of floats, what lies
 * between two of these may become either, by the last bit of a sum, and from there on the difference is a whole
 * step: how much of it arrives at the results is the model's, and is measured. */
#ifndef HONE_RUNTIME_VALUES_ROUNDING_H
#define HONE_RUNTIME_VALUES_ROUNDING_H

#include "runtime/session.h"

/* In parts of the largest magnitude of a result: AGREE_BOUND; where CODE computes narrow values, at least that, at
 * most 0.05, and else four times as far as its results move when its inputs ARGS do by a rounding. -1 and a
 * message. */
double rounding_bound(struct arena *a, const struct model_code *code, struct interp_limits limits,
		      const struct value *args);

#endif
