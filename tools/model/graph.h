/* SPDX-License-Identifier: Apache-2.0 */
/* tools/model/graph.h - the parts of `hone graph`: what it prints of a graph. */
#ifndef HONE_TOOLS_MODEL_GRAPH_H
#define HONE_TOOLS_MODEL_GRAPH_H

#include "graph/ir/ir.h"

/* For each function its inputs and results with their types, its operators by their number, and how
 * much its constants take. */
void graph_summary(struct text *out, const struct graph *g);
/* Appends the values whose element type or rank is not known, a line each; their number. */
int graph_untyped(struct text *out, const struct graph *g);
/* G as SVG, drawn by Graphviz's program. -1 and a message. */
int graph_svg(struct arena *a, struct text *out, const struct graph *g);

#endif
