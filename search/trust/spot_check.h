/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/spot_check.h - is the reference itself right?
 *
 * Reference and candidates share lowering, emitter and compiler: a mistake there is in both, and
 * they agree. So once a task some elements of the reference are compared with the naive evaluation
 * of the task's own DAG in f64 (te/eval.h), which shares none of them, nor the error analysis. */
#ifndef HONE_SEARCH_TRUST_SPOT_CHECK_H
#define HONE_SEARCH_TRUST_SPOT_CHECK_H

#include "te/dag.h"

/* Looks at corners, borders and random elements (by SEED) of D's outputs: 64 of each, fewer where
 * they take more than a moment, at least one. ARGS and BOUND are by argument: inputs, then what the
 * reference has for the outputs; bounds for the outputs. 0, or -1 and a message that names the
 * element. */
int spot_check(const struct dag *d, const void *const *args, const void *const *bound,
	       uint64_t seed);

#endif
