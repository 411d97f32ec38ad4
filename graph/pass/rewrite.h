/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/rewrite.h - the walk that passes have in common: a graph is built again, binding by
 * binding, and a hook may build something else in the place of one.
 *
 * Functions are built after those that they call, so that a caller sees what became of the types
 * of its callees; they keep their names, those of their results, and their indices where none is
 * left out. What no result of its function needs is left out. Functions that are fused,
 * compiled or a generator's are copied as they are. */
#ifndef HONE_GRAPH_PASS_REWRITE_H
#define HONE_GRAPH_PASS_REWRITE_H

#include "graph/build/build.h"

/* What a hook gives where the binding is to be copied; it is no value. */
enum { REWRITE_COPY = -3 };

struct rewrite {
	const struct graph *from;
	struct builder *builder;		/* of the function that is being made */
	const struct function *function;	/* what it is made of */
	const bool *needed;			/* for a result, by value of FUNCTION */
	const int *uses;			/* by what is needed, of its values */
	int *value;			/* of each of them, the one that stands for it */
	const int *through;		/* by function of FROM, the one it becomes */
	struct value_vec seen;		/* by new value: uses of those that it stands for */
	struct arena *scratch;		/* until the function is done */
	void *user;
};

struct rewriter {
	/* In the place of binding VALUE of x->function, whose operands are ARGS by now, the value
	 * that stands for it; REWRITE_COPY; VALUE_NONE where no other reads it; VALUE_FAILED.
	 * NULL: all are copied. */
	int (*binding)(struct rewrite *x, int value, const int *args);
	/* By function of the graph: is it kept? NULL: all are. */
	const bool *keep;
	void *user;
};

/* G built again in A. NULL and a message. */
struct graph *rewrite_graph(struct arena *a, const struct graph *g, const struct rewriter *how);

/* How often the new value V will be used, as far as is known; 1 for what a hook made besides. */
int rewrite_uses(const struct rewrite *x, int v);
/* Binding VALUE of x->function, of ARGS. */
int rewrite_copy(struct rewrite *x, int value, const int *args);

#endif
