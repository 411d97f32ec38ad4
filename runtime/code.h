/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/code.h - a model that is ready to run: what all of its sessions share.
 *
 * In:   a graph behind all passes, and a choice of kernel for each of its tasks.
 * Out:  a list of steps for each compiled function, weights packed.
 * Holds: it is not written to once it is made. */
#ifndef HONE_RUNTIME_CODE_H
#define HONE_RUNTIME_CODE_H

#include "runtime/flat/flat.h"
#include "runtime/offload/foreign.h"

struct model_code {
	const struct graph *graph;
	struct kernel_site *sites;	/* by function */
	struct flat **flats;		/* by function; NULL: the interpreter's */
	struct foreign *const *foreign;	/* by function: a generator's region, or NULL; NULL: there are none */
};

/* The generator's region that FUNCTION is; NULL. */
static inline struct foreign *code_foreign(const struct model_code *c, int function)
{
	return c->foreign ? c->foreign[function] : NULL;
}

/* Of G, in A; G, TASKS (graph_tasks() of it), CHOICES, by task, and FOREIGN outlive it. */
const struct model_code *model_code_new(struct arena *a, const struct graph *g,
					const struct model_task_vec *tasks,
					const struct choice *choices,
					struct foreign *const *foreign);

#endif
