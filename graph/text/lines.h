/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/lines.h - a graph of one function that comes a binding at a time, each a line of the text form.
 *
 * In:   what the function takes, lines, at last what it returns.
 * Out:  the type of each value as soon as its line is there; the graph.
 * Holds: a line that is refused leaves what was there before. */
#ifndef HONE_GRAPH_TEXT_LINES_H
#define HONE_GRAPH_TEXT_LINES_H

#include "graph/text/text.h"

struct graph_lines;

/* A graph NAME whose function takes PARAMS, "(%x: f32[2, 3], ...)"; in A. NULL and a message. */
struct graph_lines *graph_lines_new(struct arena *a, const char *name, const char *params);
/* One line, "%y = relu(%x)". The value; VALUE_FAILED and "line:1:COLUMN: ...". */
int graph_lines_add(struct graph_lines *l, const char *line);
/* X, which lives as long as the graph, as the constant %WORD. The value; VALUE_FAILED and a message. */
int graph_lines_add_const(struct graph_lines *l, const char *word, const struct array *x);
/* What is known of VALUE, the value that %WORD is. */
const struct type *graph_lines_type(const struct graph_lines *l, int value);
/* The graph, where the function returns RESULTS, "%y, %z"; nothing can be added from then on. NULL and a
 * message. */
struct graph *graph_lines_end(struct graph_lines *l, const char *results);

#endif
