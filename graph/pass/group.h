/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/group.h - which bindings of a function run as one kernel.
 *
 * Holds: a group is calls that have a tensor expression together; it is entered through the
 *        operands of its members and left through its last one only. */
#ifndef HONE_GRAPH_PASS_GROUP_H
#define HONE_GRAPH_PASS_GROUP_H

#include "graph/pass/fit.h"

struct fusion_group {
	struct value_vec members;	/* ascending; the last is the output */
	int inputs;			/* operands from outside, at most */
	bool moves;			/* all of them only move data */
	bool pointwise;			/* all of them are pointwise */
};

struct fusion_group_vec VEC(struct fusion_group);

struct grouping {
	struct fusion_group_vec groups;	/* those without members were joined to others */
	int *group_of;			/* by value, index of groups; -1: none */
};

/* The groups of F, in A; what is found out for FITS, in LASTING. */
struct grouping function_group(struct arena *a, const struct function *f, struct arena *lasting,
			       struct fit_calls *fits);

#endif
