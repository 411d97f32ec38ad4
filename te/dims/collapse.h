/* SPDX-License-Identifier: Apache-2.0 */
/* te/dims/collapse.h - a DAG with fewer dims: neighbouring ones that are only walked together are one.
 *
 * In:   a frozen DAG.
 * Out:  one that computes the same from the same memory: of a 1x1 convolution pixels take the place of rows and
 *       columns, of elementwise ops elements that of all dims, of a sum over a whole image pixels, too. Of what is rebuilt so, and of
 *       what it reads, dims of one place are left out; the rest is as it was, and reads pixels by row and column.
 * Holds: the same ops in the same order, each tensor as many elements as before, stored alike. */
#ifndef HONE_TE_DIMS_COLLAPSE_H
#define HONE_TE_DIMS_COLLAPSE_H

#include "te/dag.h"

/* In A; NULL where no dims become one, or where something would be read no more. Which do: te/dims/joined.h. */
const struct dag *dag_collapse(struct arena *a, const struct dag *d);

#endif
