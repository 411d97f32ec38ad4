/* SPDX-License-Identifier: Apache-2.0 */
/* te/dims/squeeze.h - a DAG without dims of one place.
 *
 * Holds: the same ops in the same order, each tensor as many elements as before, stored alike. */
#ifndef HONE_TE_DIMS_SQUEEZE_H
#define HONE_TE_DIMS_SQUEEZE_H

#include "te/dag.h"

/* In A: of the tensors of D for which WHICH, by op, says so; of all where that is NULL. One dim is left of what has but such. NULL where
 * something would be read no more. */
const struct dag *dag_squeeze(struct arena *a, const struct dag *d, const bool *which);

#endif
