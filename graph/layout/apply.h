/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/apply.h - a graph with its images stored as was chosen. */
#ifndef HONE_GRAPH_LAYOUT_APPLY_H
#define HONE_GRAPH_LAYOUT_APPLY_H

#include "graph/layout/space.h"

/* X's graph again in A: applications are those of the variants that STATE, by node, says, and
 * transforms stand where somebody wants an image otherwise than it was made. NULL and a message. */
struct graph *layout_apply(struct arena *a, const struct layout_space *x, const int *state);

#endif
