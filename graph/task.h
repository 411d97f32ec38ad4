/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task.h - the distinct tasks of a model, and what of it cannot be tuned.
 *
 * Needs:    graph_infer() before.
 * Provides: each compute group as a DAG, equal ones once with the number of their occurrences.
 * In a DAG, constants that a batch norm or a Gemm's factors were folded into stand for values that
 * are computed when the model is compiled. */
#ifndef HONE_GRAPH_TASK_H
#define HONE_GRAPH_TASK_H

#include "graph/extract.h"
#include "te/dag.h"

/* One place where a task occurs. */
struct model_use {
	int group;			/* index in the grouping */
	/* For each input of the DAG in order the value whose elements it takes; VALUE_NONE:
	 * computed from constants. */
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
	int weight;		/* how often a run of the model needs it: uses.n */
	struct model_use_vec uses;
};

struct model_task_vec VEC(struct model_task);

/* The tasks of G in the order of their first use, in A. */
struct model_task_vec graph_tasks(struct arena *a, struct graph *g, const struct grouping *groups);

#endif
