/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/roots.h - which values of a function share their bytes.
 *
 * A root is a value with bytes of its own: a parameter, a constant, what a call computes, or a
 * concatenation that is the whole of what others compute. Any value is in its root, from some byte
 * on; a root may be a part of another one. */
#ifndef HONE_RUNTIME_PLAN_ROOTS_H
#define HONE_RUNTIME_PLAN_ROOTS_H

#include "graph/ir/ir.h"

struct value_root {
	size_t bytes;
	int result;		/* whose memory of the caller it is in; -1: none */
	int part_of, depth;	/* the root that it is a part of, or -1; parts below it */
	size_t offset;		/* there */
};

/* Where a value is. */
struct root_place {
	int root;
	size_t offset;
};

struct roots {
	const struct graph *graph;
	const struct function *function;
	struct value_root *root;	/* by value, of those that are roots */
	struct root_place *place;	/* by value */
	bool *idle;			/* by value: an application that needs no call */
};

/* The roots of FUNCTION of G, in A. */
struct roots roots_of(struct arena *a, const struct graph *g, int function);
/* The root that is no part, with VALUE in it. */
struct root_place roots_top(const struct roots *r, int value);
/* Is ROOT computed by a call or the whole of what is? */
bool roots_is_computed(const struct roots *r, int root);

#endif
