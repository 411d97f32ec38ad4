/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/cut.h - bindings of a function as one DAG of tensor expressions: what a kernel
 * computes.
 *
 * The members' operators express themselves (graph/op/express.h); what comes from outside becomes
 * an input of the DAG, a weight where it is constant, or a literal. */
#ifndef HONE_GRAPH_TASK_CUT_H
#define HONE_GRAPH_TASK_CUT_H

#include "graph/op/express.h"

/* What is cut. */
struct cut_group {
	const struct function *function;
	const int *members;	/* calls, ascending; the last one's result is the kernel's */
	int nmembers;
	/* For each parameter of FUNCTION the constant that it is in the call at hand, or NULL;
	 * NULL: none is. */
	const struct array *const *given;
};

struct cut_dag {
	const struct dag *dag;		/* frozen; NULL: there is none */
	const char *reason;		/* why there is none */
	struct value_vec inputs;	/* for each input of dag the value of the function in it */
	const char *op, *shape;		/* for people, as struct model_task has them */
};

/* The DAG of G, in A. */
struct cut_dag cut_group(struct arena *a, const struct cut_group *g);

/* Why B cannot be in a kernel, whatever its operator's expression says; NULL: nothing is known
 * against it. Types alone decide. */
const char *cut_obstacle(const struct function *f, const struct binding *b);
/* Does B only give its operand another shape, so that it takes no kernel? */
bool binding_is_view(const struct binding *b);

#endif
