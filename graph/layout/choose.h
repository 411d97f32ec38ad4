/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/choose.h - the state of each application that makes the whole model fastest.
 *
 * In:   the space of a model, and what each of its tasks takes.
 * Out:  a state for each node.
 * Holds: the sum over all kernels and transforms is the least there is where the answer says that it
 *        is exact, and never above that of one manner everywhere, or of the fastest kernel for each
 *        node by itself. An image is transformed once for all that want it so. */
#ifndef HONE_GRAPH_LAYOUT_CHOOSE_H
#define HONE_GRAPH_LAYOUT_CHOOSE_H

#include "graph/layout/space.h"

/* US, by task of X: finite, not negative. In A. */
struct layout_choice layout_choose(struct arena *a, const struct layout_space *x, const double *us);
/* How often each task of X runs when STATE is chosen; in A. */
int *layout_weights(struct arena *a, const struct layout_space *x, const int *state);

#endif
