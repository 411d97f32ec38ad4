/* SPDX-License-Identifier: Apache-2.0 */
/* graph/sequence.h - the tasks of a model in the order in which it runs them.
 *
 * Needs:    graph_tasks() before.
 * Provides: every occurrence of a tunable task, and the values that it is handed and hands on.
 * Holds:    an occurrence comes after those whose results it reads; a view is named by the value
 *           that it is a view of. */
#ifndef HONE_GRAPH_SEQUENCE_H
#define HONE_GRAPH_SEQUENCE_H

#include "graph/task.h"

struct occurrence {
	int task;		/* index in the list of tasks */
	/* For each argument of the kernel, as te/eval.h orders them, the value in it; VALUE_NONE:
	 * a constant, or what no other occurrence has to do with. */
	struct value_vec args;
};

struct occurrence_vec VEC(struct occurrence);

/* The occurrences of TASKS, which graph_tasks() made of G and GROUPS, in A. */
struct occurrence_vec graph_sequence(struct arena *a, const struct graph *g,
				     const struct grouping *groups,
				     const struct model_task_vec *tasks);

#endif
