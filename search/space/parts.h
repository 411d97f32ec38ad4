/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/parts.h - a DAG of several reductions as DAGs that may be tuned without it: runs of its computations,
 * cut behind what a reduction gives, with the functions behind it, or reads.
 *
 * Holds: a part's ops are in the order of the whole, or those that others compute come first, so that its key is that of the same
 * operator alone. */
#ifndef HONE_SEARCH_SPACE_PARTS_H
#define HONE_SEARCH_SPACE_PARTS_H

#include "schedule/state.h"

struct dag_part {
	const struct dag *dag;	/* frozen; what other parts compute is its input */
	const int *op;		/* of the whole, by op of the part */
};

struct dag_part_vec VEC(struct dag_part);

/* The microseconds that PART takes alone; INFINITY where nobody knows. */
typedef double part_price(void *ctx, const struct dag_part *part);

/* The parts of DAG that take the least together, each before those that read it; in A. None where DAG has but one
 * reduction, or where no two or more of known price are all of it. */
struct dag_part_vec parts_of(struct arena *a, const struct dag *dag, part_price *price, void *ctx);

/* The fewest parts of DAG of which none has a sum of products beside another reduction; in A. None where all of it is one. */
struct dag_part_vec parts_fewest(struct arena *a, const struct dag *dag);

/* What DAG computes up to its last reduction, in A. False where it has none. */
bool part_core(struct arena *a, const struct dag *dag, struct dag_part *out);

/* Has OWN, a state of PART, the dims that WHOLE, one of the DAG that PART is of, gives what it computes and copies? */
bool part_has_dims(const struct dag_part *part, const struct state *own, const struct state *whole);

/* WHOLE, of which no stage is scheduled, with each of its PARTS computed by STEPS[i], a state of that part with its dims, and none inside
 * another's loops; false where a step is refused, and WHOLE is of no use. A is for scratch. */
bool parts_compose(struct arena *a, struct state *whole, const struct dag_part_vec *parts, const struct state *const *steps);

#endif
