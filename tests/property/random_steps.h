/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/random_steps.h - seeded random steps on a state. */
#ifndef HONE_TESTS_PROPERTY_RANDOM_STEPS_H
#define HONE_TESTS_PROPERTY_RANDOM_STEPS_H

#include "base/rng.h"
#include "schedule/state.h"

/* How often each kind of step was asked for, and how often state_apply took it. */
struct step_counts {
	int tried[STEP_KIND_COUNT], applied[STEP_KIND_COUNT];
};

/* S after random steps: single ones and whole recipes (a register tile, a fused producer, a
 * factored reduction), of which those are kept that are legal. */
struct state *random_steps(struct rng *r, struct state *s, struct step_counts *counts);

#endif
