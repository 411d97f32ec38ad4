/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/costs.h - what passes may ask of the machine that a model is to run on. */
#ifndef HONE_GRAPH_PASS_COSTS_H
#define HONE_GRAPH_PASS_COSTS_H

#include "graph/layout/chosen.h"
#include "graph/task/task.h"

struct kernel_costs {
	int lanes;	/* floats of a vector register */
	/* What a run of each of TASKS takes, us: measured, or else expected of the first so many; 0 of
	 * others that were not measured. In A; NULL and a message where the outside world fails. */
	double *(*times)(void *user, struct arena *a, const struct model_task_vec *tasks,
			 int expected);
	/* Hears what the choice of storages came to; its state ends with the call. May be NULL. */
	void (*chose)(void *user, const struct layout_choice *c);
	void *user;
};

#endif
