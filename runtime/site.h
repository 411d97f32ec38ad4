/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/site.h - a fused function with its kernel: what its arguments are to the kernel.
 *
 * In:   the places where a function is applied, and the task that was cut from each.
 * Out:  for each buffer of the kernel the parameter that it comes from, and the weights as the
 *       kernel reads them.
 * Holds: a function that stands for different tasks at different places has no kernel; a weight is
 *        packed once for each kernel that reads it. */
#ifndef HONE_RUNTIME_SITE_H
#define HONE_RUNTIME_SITE_H

#include "graph/task/task.h"
#include "runtime/kernel/choice.h"

/* A weight as the kernel reads it. */
struct site_weight {
	const void *raw;	/* where the graph has it */
	void *ready;		/* packed, or a copy that is aligned */
	struct site_weight *next;
};

struct kernel_site {
	int task;			/* index in the list; -1: none */
	const struct choice *choice;	/* NULL: the interpreter's */
	int nargs;			/* buffers of the kernel; the last is the result */
	const int *param;		/* for each other its parameter */
	struct site_weight **weights;	/* by buffer */
};

/* The sites of G by function, in A. */
struct kernel_site *sites_new(struct arena *a, const struct graph *g,
			      const struct model_task_vec *tasks, const struct choice *choices);
/* Frees the weights of N sites. */
void sites_free(struct kernel_site *sites, int n);

/* The generator's kernel that stands for the application VALUE of FUNCTION; NULL: none does. */
struct foreign *site_foreign(const struct kernel_site *s, int function, int value);
/* Does the kernel read buffer ARG in a form that only a constant can be given beforehand? */
bool site_wants_constant(const struct kernel_site *s, int arg);
/* The parameters of the function in whose place the kernel may write its result, as bits. */
uint64_t site_replaces(const struct kernel_site *s);
/* X as the interpreter reads it. It lives as long as X. */
const char *site_plain(const struct array *x);
/* X as the kernel reads it in buffer ARG: packed, or aligned. It lives as long as the sites. */
const void *site_weight(struct arena *a, struct kernel_site *s, int arg, const struct array *x);

#endif
