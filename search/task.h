/* SPDX-License-Identifier: Apache-2.0 */
/* search/task.h - a task: what is tuned as one, and how its candidates are judged. */
#ifndef HONE_SEARCH_TASK_H
#define HONE_SEARCH_TASK_H

#include "measure/runner/workload.h"
#include "schedule/nest.h"
#include "search/space/sampling/sample.h"
#include "te/dag.h"

struct task {
	const struct dag *dag;
	char key[HASH_TEXT];	/* of the DAG */
	const char *name;	/* for people: an operator spec */
	const char *text;	/* the DAG in .te form */
	double flop;
	double weight;		/* occurrences in the model; 1 for an operator */
	const char *op;		/* of the lists that commands print: "conv2d" */
	const char *shape;	/* "1x64x56x56 ..." */
};

struct task_vec VEC(struct task *);

/* The task of a frozen DAG, in A. */
struct task *task_new(struct arena *a, const struct dag *dag, const char *name, double weight);

/* The arguments that its candidates are measured with, without a reference. In A. */
struct workload task_workload(struct arena *a, const struct task *t, int threads,
			      enum cache_state cache, uint64_t seed);
/* Gives W the references that candidates are verified against. -1 and a message where they cannot
 * be written. */
int task_reference(struct arena *a, const struct task *t, struct workload *w);
/* Adds to the message of a reference that failed what may have gone wrong in T's expressions. */
void task_suspect(struct arena *a, const struct task *t);

#endif
