/* SPDX-License-Identifier: Apache-2.0 */
/* te/dims/widen.h - a DAG whose innermost dims fill vectors: where channels lie in blocks of fewer than vectors have lanes, neighbouring
 * places are in one block.
 *
 * In:   a frozen DAG.
 * Out:  one that computes the same from the same memory: an op of [..., x, l] is one of [..., x', z], x = F x' + z / L and l = z % L,
 *       where F blocks of L elements are LANES.
 * Holds: the same ops in the same order, each tensor as many elements as before, stored alike. */
#ifndef HONE_TE_DIMS_WIDEN_H
#define HONE_TE_DIMS_WIDEN_H

#include "te/dag.h"

/* In A; NULL where no reduction becomes wider, or something would not be read any more. What compares indices stays as it is:
 * conditions would be those of parts of a vector. */
const struct dag *dag_widen(struct arena *a, const struct dag *d, int64_t lanes);

#endif
