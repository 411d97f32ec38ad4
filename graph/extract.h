/* SPDX-License-Identifier: Apache-2.0 */
/* graph/extract.h - which bindings of a function run together, as one kernel or none.
 *
 * Needs:    graph_infer() before.
 * Provides: groups. A compute group is a heavy operator, the zero padding before it and the
 *           pointwise operators behind it: its batch norm, bias, residual add and activation. What
 *           is computed once, or moves nothing, is in a free group.
 * Holds:    every binding but the parameters is in exactly one group; a group is entered through
 *           its inputs and left through its output only (a tuple's fields leave together); groups
 *           ordered by their last member run after what they need. */
#ifndef HONE_GRAPH_EXTRACT_H
#define HONE_GRAPH_EXTRACT_H

#include "graph/ir.h"

struct value_vec VEC(int);

enum group_kind {
	GROUP_FREE,	/* a constant, computed from constants, or a view: no work at run time */
	GROUP_COMPUTE,
};

struct group {
	enum group_kind kind;
	int heavy;			/* the member that the group is about */
	struct value_vec members;	/* ascending */
	struct value_vec inputs;	/* values from outside, constants too, by first use */
	int output;			/* the member that others read */
	const char *reason;		/* compute: why it is no task; NULL: it may be */
};

struct group_vec VEC(struct group);

struct grouping {
	struct group_vec groups;	/* by their last member */
	const int *group_of;		/* value to index of groups; -1 for parameters */
	const bool *constant;		/* by value: the same in every run */
};

/* The groups of G's main function, in A. */
struct grouping *graph_group(struct arena *a, struct graph *g);

/* A line a group, for people. */
void grouping_print(struct text *out, const struct function *f, const struct grouping *g);

#endif
