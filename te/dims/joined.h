/* SPDX-License-Identifier: Apache-2.0 */
/* te/dims/joined.h - which neighbouring dims of the tensors of a DAG may be one.
 *
 * Two axes may where every index that has one is that axis alone, over the whole dim, with the other behind it (or before it) in the
 * next one. Functions of a tensor have their dims as it has, so that they may be computed in its loops. A reduction need not: where it
 * walks pixels, what it reads may have rows and columns, and what it gives may be read by those. */
#ifndef HONE_TE_DIMS_JOINED_H
#define HONE_TE_DIMS_JOINED_H

#include "te/dag.h"

struct joined_dims {
	bool next[TENSOR_MAX_DIMS];	/* dim i and the next one are to be one */
};

struct dims_joining {
	const struct dag *dag;
	struct joined_dims *of;	/* by op */
	bool *summed;		/* by op: it is a reduction, or comes of one */
};

/* Of D, in A. */
struct dims_joining dims_join(struct arena *a, const struct dag *d);
const struct joined_dims *joined_of(const struct dims_joining *j, const struct tensor *t);
/* How many dims of T from I on are one. */
int joined_run(const struct dims_joining *j, const struct tensor *t, int i);
/* Does LOAD in the body of OP walk dim I and the next, which are joined, by two axes that are together there? */
bool joined_walk(const struct dims_joining *j, const struct op *op, const struct expr *load, int i);
/* Does OP walk anything so, or are its own dims joined? */
bool joined_by(const struct dims_joining *j, const struct op *op);

#endif
