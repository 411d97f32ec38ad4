/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/fused.h - calls of a function as a function of their own, which runs as one kernel.
 *
 * It has the attribute "fused"; weights are parameters, single numbers and lists of integers stand
 * inside. */
#ifndef HONE_GRAPH_TASK_FUSED_H
#define HONE_GRAPH_TASK_FUSED_H

#include "graph/build/build.h"

/* The calls MEMBERS of F, ascending, of which the last gives the result, as a function of G, which may
 * have F or not. The values of F that are its arguments, in order, in *OUTSIDE (in A). Its index;
 * FUNCTION_NONE and a message. */
int fused_make(struct graph *g, struct arena *a, const struct function *f,
	       const struct value_vec *members, struct value_vec *outside);
/* Says of function INDEX of G, nothing but calls, that it runs as one kernel. */
void fused_mark(struct graph *g, int index);

#endif
