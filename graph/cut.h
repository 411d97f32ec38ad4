/* SPDX-License-Identifier: Apache-2.0 */
/* graph/cut.h - a group cut from a model as a DAG of tensor expressions; for graph/cut_*.c and
 * graph/task.c only.
 *
 * Every function here returns NULL with a message where hone has no tunable form of a member: the
 * message becomes the reason that is listed with the group. */
#ifndef HONE_GRAPH_CUT_H
#define HONE_GRAPH_CUT_H

#include "graph/extract.h"
#include "te/dag.h"

struct cut_known VEC(struct cut_value_op);

struct cut_value_op {
	int value;
	struct op *op;
};

struct cut {
	struct graph *graph;
	const struct function *f;
	const struct grouping *grouping;
	const struct group *group;
	struct dag *dag;
	struct cut_known known;	/* inputs and members so far */
	struct value_vec inputs;	/* for each input of dag; VALUE_NONE: computed */
	struct text op, shape;	/* for people; to be freed */
};

const struct binding *cut_at(const struct cut *c, int value);
/* What of this group or its inputs computes VALUE; a new input named like HINT where it is from
 * outside and new. */
struct op *cut_value(struct cut *c, int value, const char *hint);
/* An input of its own with the elements of VALUE in another shape, or for VALUE_NONE one that is
 * computed from constants, as the bias that a batch norm becomes. */
struct op *cut_input(struct cut *c, int value, const char *hint, enum dtype t, int rank,
		     const int64_t *shape);
void cut_define(struct cut *c, int value, struct op *op);
/* Where VALUE is a constant of one element: that element. */
bool cut_scalar(const struct cut *c, int value, double *v);

/* The member that the group is about; its padding and batch norm too, where they become part of
 * its window, weight and bias. */
struct op *cut_heavy(struct cut *c, int value);
/* A pointwise member. */
struct op *cut_pointwise(struct cut *c, int value);

/* KEY=A or KEY=AxB after what is there, as the command line writes it. */
void cut_note(struct cut *c, const char *key, int n, const int64_t *v);

#endif
