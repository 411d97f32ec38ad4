/* SPDX-License-Identifier: Apache-2.0 */
/* tests/planted/specs.h - random operators of the library: any operator, any type, odd sizes. */
#ifndef HONE_TESTS_PLANTED_SPECS_H
#define HONE_TESTS_PLANTED_SPECS_H

#include "base/rng.h"
#include "te/dag.h"

/* An operator that builds and takes at most SPEC_MAX_FLOP operations; SPEC gets its text. In A. */
struct dag *random_operator(struct arena *a, struct rng *r, const char **spec);

/* What a naive evaluator does in a few milliseconds. */
#define SPEC_MAX_FLOP 60000.0

#endif
