/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/site.h - a fused function with its kernel: what its arguments are to the kernel.
 *
 * In:   the places where a function is applied, and the task that was cut from each.
 * Out:  for each buffer of the kernel the parameter that it comes from, and the weights as the
 *       kernel reads them.
 * Holds: a function that stands for different tasks at different places has no site. */
#ifndef HONE_RUNTIME_SITE_H
#define HONE_RUNTIME_SITE_H

#include "graph/eval/value.h"
#include "graph/task/task.h"
#include "measure/workload.h"
#include "runtime/choice.h"

/* A weight as the kernel reads it. */
struct site_weight {
	const void *raw;	/* where the graph has it */
	void *ready;		/* packed, or a copy that is aligned */
	struct site_weight *next;
};

struct kernel_site {
	int task;			/* index in the list; -1: none */
	const struct choice *choice;	/* NULL: the interpreter's */
	const struct op **ops;		/* by buffer of the kernel */
	int nargs;			/* buffers of the kernel, WORKLOAD_ARGS at most; the last is the
					 * result */
	const int *param;		/* for each other its parameter */
	struct site_weight **weights;	/* by buffer */
};

/* The sites of G by function, in A; weights are packed. *BYTES gets what they take. */
struct kernel_site *sites_new(struct arena *a, const struct graph *g, const struct model_task_vec *tasks,
		       const struct choice *choices, size_t *bytes);
/* Frees the weights. */
void sites_free(struct kernel_site *sites, int n);

/* Runs S on arguments of its function, whose result is of static TYPE. 1 and *RESULT; 0 where they
 * are not what the kernel was made for; -1 and a message. */
int site_run(const struct kernel_site *s, const struct type *type, const struct value *args,
	     void *workspace, struct value *result);

#endif
