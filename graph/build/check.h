/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/check.h - does a graph hold what graph/ir/ir.h promises? For tests of whatever makes
 * graphs, and for readers of what the builder cannot see at once. */
#ifndef HONE_GRAPH_BUILD_CHECK_H
#define HONE_GRAPH_BUILD_CHECK_H

#include "graph/ir/ir.h"

/* Operands come before their uses, parameters first, functions are those of the graph, attributes are
 * in the schema, and the types are what the builder gives to the same bindings, as far as both are
 * known. 0, or -1 and a message that names function and value. Linear in the graph. */
int graph_check(const struct graph *g);

#endif
