/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/flow.h - who reads what in a function, and where all that comes of a value goes
 * through.
 *
 * Value w post-dominates v where every way from v along its readers to a result passes w. */
#ifndef HONE_GRAPH_PASS_FLOW_H
#define HONE_GRAPH_PASS_FLOW_H

#include "graph/ir/ir.h"

struct flow {
	const struct function *function;
	const bool *needed;	/* by value; what is not is no reader */
	int *first;		/* readers of v: reader[first[v]..first[v + 1]), ascending */
	int *reader;
	/* By value the first that post-dominates it, or a later one where that would take long to
	 * find; bindings.n where none does. */
	int *dominator;
};

/* In A; it takes time in proportion to F. */
struct flow flow_new(struct arena *a, const struct function *f);

/* The values on the ways from FROM to its dominator, that one included and FROM not, in OUT,
 * ascending; their number. 0 where it has none, or where they are more than MOST. */
int flow_region(const struct flow *x, int from, int most, int *out);

#endif
