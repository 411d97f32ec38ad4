/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/assign.h - the kernels of a model that generators compute, made ready.
 *
 * In:   the tasks of a model behind all passes, and what they were measured to take.
 * Out:  for each place where a generator's kernel stands, that kernel with its constants.
 * Holds: what a generator fails to make ready stays with hone, with the reason. */
#ifndef HONE_RUNTIME_OFFLOAD_ASSIGN_H
#define HONE_RUNTIME_OFFLOAD_ASSIGN_H

#include "runtime/kernel/choice.h"

/* Gives generators their places in CHOICES, by task of TASKS of G, which are empty yet; in A. -1 and a
 * message where the outside world fails. */
int offload_assign(struct arena *a, const struct graph *g, const struct model_task_vec *tasks,
		   const struct choice_plan *plan, struct choice *choices);

#endif
