/* SPDX-License-Identifier: Apache-2.0 */
/* tools/source.h - what a user names on the command line, as tasks. */
#ifndef HONE_TOOLS_SOURCE_H
#define HONE_TOOLS_SOURCE_H

#include <stdbool.h>

#include "graph/pass/costs.h"
#include "search/task.h"

/* Is SOURCE the name of a model, rather than of operators? */
bool source_is_model(const char *source);

/* The tasks of SOURCE, a model for a machine of COSTS (NULL: any): a model (*.onnx), an operator in text form (*.te), an operator of the
 * library (name:key=value,...), or a list of operators (*.tasks). -1 and a message where it is none of them. */
int source_tasks(struct arena *a, const char *source, const struct kernel_costs *costs,
		 struct task_vec *out);

/* Task M, which has a DAG, of a model; in A. */
struct task *source_model_task(struct arena *a, const struct model_task *m);

/* The same, and in *SEQUENCE every occurrence of a task in the order in which they run: that of the
 * model, or of the list. Occurrences in a list hand a result on where its size fits. */
int source_sequence(struct arena *a, const char *source, const struct kernel_costs *costs,
		    struct task_vec *out, struct occurrence_vec *sequence);

#endif
