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

/* The fused function that a kernel stands for, as it was applied. */
struct cut_from {
	const struct function *function;	/* plain; NULL: it is none, but calls of a function */
	/* By parameter the constant that it is, whose data may be NULL where that is yet to be made, or
	 * NULL. */
	const struct array *const *given;
	const int64_t *stored;	/* by parameter, then the result; NULL: all is plain */
};

struct cut_dag {
	const struct dag *dag;		/* frozen; NULL: there is none */
	const char *reason;		/* why there is none */
	struct value_vec inputs;	/* for each input of dag the value of the function in it */
	const char *op, *shape;		/* for people, as struct model_task has them */
	struct cut_from from;
};

/* The DAG of G, in A. */
struct cut_dag cut_group(struct arena *a, const struct cut_group *g);

/* What is demanded of the kernel of FROM. */
struct demand cut_demand(const struct cut_from *from);

/* Why B cannot be in a kernel, whatever its operator's expression says; NULL: nothing is known
 * against it. Types alone decide. */
const char *cut_obstacle(const struct function *f, const struct binding *b);
/* Does B only give its operand another shape, so that it takes no kernel? */
bool binding_is_view(const struct binding *b);

#endif
