/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/values/inputs.h - random values for what a model takes. */
#ifndef HONE_RUNTIME_VALUES_INPUTS_H
#define HONE_RUNTIME_VALUES_INPUTS_H

#include "graph/eval/value.h"
#include "graph/ir/ir.h"

/* A value for PARAM in A, the same for the same SEED. -1 and a message where its type leaves open
 * what that would be. */
int input_random(struct arena *a, const struct binding *param, uint64_t seed, struct value *out);
/* A value in A for each parameter of MAIN, the I-th of SEED + I; NULL and a message. */
struct value *inputs_random(struct arena *a, const struct function *main, uint64_t seed);

#endif
