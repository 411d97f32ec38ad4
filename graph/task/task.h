/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/task.h - the distinct tasks of a model, and what of it cannot be tuned.
 *
 * In:   a graph whose operators were fused (graph/pass/fuse.c): each application of a fused
 *       function is to run as one kernel.
 * Out:  each of them as a DAG, equal ones once, with the places where they occur; what has no
 *       tunable form stands in the list with its reason.
 * Of a graph that is shared with code generators equal ones are tasks of their own where the user
 * demands otherwise of them; they have one key. */
#ifndef HONE_GRAPH_TASK_TASK_H
#define HONE_GRAPH_TASK_TASK_H

#include "graph/task/cut.h"

/* One application of a fused function. */
struct model_use {
	int function;			/* the graph's, that has the application */
	int value;			/* which it gives there */
	/* For each input of the DAG in order the value there whose elements it takes. */
	struct value_vec inputs;
};

struct model_use_vec VEC(struct model_use);

struct model_task {
	const char *op;		/* operator and what joined it: conv2d+bias+relu */
	const char *shape;	/* as the command line writes parameters: ic=64,h=56,... */
	const struct dag *dag;	/* frozen; NULL: not tunable */
	const char *reason;	/* why it is not tunable */
	struct hash128 key;	/* of dag */
	double flop;		/* of dag, one run */
	struct cut_from from;	/* the first that was cut so; a task of a kept model has none */
	int weight;		/* how often a run of the model needs it: uses.n */
	struct model_use_vec uses;
};

struct model_task_vec VEC(struct model_task);

/* What tells T, which has a DAG, from other tasks of G: its key, and, where the graph is shared, what is
 * demanded of it; in A. */
const char *task_name(struct arena *a, const struct graph *g, const struct model_task *t);

/* The tasks of G in the order of their first use, in A. */
struct model_task_vec graph_tasks(struct arena *a, const struct graph *g);

/* The tasks in the order in which a run needs them. */
struct occurrence {
	int task;		/* index in the list of tasks */
	/* For each argument of the kernel, as te/eval.h orders them, a name of the value in it;
	 * VALUE_NONE: a constant, or what no other occurrence has to do with. A view has the name of
	 * the value that it is a view of. */
	struct value_vec args;
};

struct occurrence_vec VEC(struct occurrence);

/* The occurrences in G's main function, and in the compiled ones that it applies, of TASKS, which graph_tasks() made of it, in A. */
struct occurrence_vec graph_sequence(struct arena *a, const struct graph *g,
				     const struct model_task_vec *tasks);

#endif
