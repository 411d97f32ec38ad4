/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/graph.h - the graph of a library that needs the interpreter. */
#ifndef HONE_RUNTIME_LIBRARY_GRAPH_H
#define HONE_RUNTIME_LIBRARY_GRAPH_H

#include "base/text.h"
#include "runtime/library/content.h"

/* Writes C's graph as text whose functions have the numbers that C has for them, with long
 * constants among C's weights. Only what is interpreted is there with its body. */
void library_graph_text(struct text *out, struct library_content *c);

#endif
