/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/reach.h - what of a graph its results need. */
#ifndef HONE_GRAPH_IR_REACH_H
#define HONE_GRAPH_IR_REACH_H

#include "graph/ir/ir.h"

/* By value of F: does a result need it? In A. */
bool *function_needed(struct arena *a, const struct function *f);
/* How often each value is read by a result or by what a result needs; in A. */
int *function_needed_uses(struct arena *a, const struct function *f, const bool *needed);
/* The functions of G, each after those that it calls unless it is called by them, and main last, for a
 * pass may have it call more of them; in A. */
int *graph_callees_first(struct arena *a, const struct graph *g);
/* The functions that a call of FUNCTION may run, itself the last, in *OUT in A; their number. */
int function_callees(struct arena *a, const struct graph *g, int function, int **out);
/* By function: is it main, or does main need a call of it? Where there is no main, all are. In A. */
bool *graph_reached(struct arena *a, const struct graph *g);

#endif
