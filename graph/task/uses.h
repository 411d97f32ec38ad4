/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/uses.h - which task an application of a graph is. */
#ifndef HONE_GRAPH_TASK_USES_H
#define HONE_GRAPH_TASK_USES_H

#include "graph/task/task.h"

struct task_uses;

/* Of TASKS, which graph_tasks() made of G, in A. */
const struct task_uses *task_uses_new(struct arena *a, const struct graph *g,
				      const struct model_task_vec *tasks);
/* The index of the task that gives VALUE in FUNCTION; -1: none does. */
int task_used(const struct task_uses *u, int function, int value);

#endif
