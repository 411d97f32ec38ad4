/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/fold.h - computing what is constant while a graph is made, for graph/build/ only. */
#ifndef HONE_GRAPH_BUILD_FOLD_H
#define HONE_GRAPH_BUILD_FOLD_H

#include "graph/build/build.h"

/* Is B, whose type is known, to be computed now? Its operands are constants, it is pure, and the
 * graph's budget allows for it. */
bool fold_is_worth(const struct builder *b, const struct binding *call);
/* Appends the constant that it gives; VALUE_FAILED and a message where computing it fails. */
int fold_call(struct builder *b, const struct binding *call);

/* OF, which applies a function or runs a loop: appends the constants that it gives, where its operands
 * are constants, it is pure and done in a moment; else VALUE_NONE. */
int fold_function(struct builder *b, const struct binding *of);

#endif
