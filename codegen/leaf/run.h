/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/run.h - runs the loops around leaves, for whoever writes the stream.
 *
 * In:   a tree of leaves, where arguments lie in memory, and entries of scratchpads.
 * Out:  visits of leaves in program order: where operands begin, and the turns in which conditions hold.
 * Holds: what depends on a loop or on a buffer's place moves with it by one addition: no sum is evaluated anew, and turns are
 *        found again only where a condition has moved. */
#ifndef HONE_CODEGEN_LEAF_RUN_H
#define HONE_CODEGEN_LEAF_RUN_H

#include "codegen/leaf/leaf.h"

/* Where a buffer begins: entries of its scratchpad, or units of memory. */
struct leaf_place {
	const struct buffer *buffer;
	int64_t at;
};

/* A leaf, when the loops around have their values. */
struct leaf_visit {
	const struct leaf *leaf;
	int64_t start[LEAF_OPERANDS];	/* of operands, in their scratchpads or in memory */
	int64_t bound[LEAF_BOUNDS];	/* of conditions: f */
	int64_t found[LEAF_BOUNDS];	/* what f was when turns were found */
	struct leaf_turns turns;
	bool turned;		/* these are new, as they are at first: whoever writes the stream has none of them, and sets it false */
	int64_t times;		/* that it is visited in all */
	void *own;		/* of whoever writes the stream; NULL before */
};

/* Who writes the stream. */
struct leaf_writer {
	/* False: that is the end. */
	bool (*visit)(struct leaf_writer *w, struct leaf_visit *v);
	/* B is allocated, in N entries from FIRST on. */
	void (*allocated)(struct leaf_writer *w, const struct buffer *b, int64_t first, int64_t n);
};

struct leaf_run {
	struct leaf_node *tree;
	struct leaf_visit_vec VEC(struct leaf_visit *) visits;	/* one for each leaf */
};

/* The run of TREE, which is made ready for one, in A; ENTRIES of scratchpads by scope. NULL and WHY where one has too little
 * room. */
struct leaf_run *leaf_run_new(struct arena *a, struct leaf_node *tree, const struct leaf_place *args, int n,
			      const int64_t entries[SCOPE_COUNT], const char **why);
/* Visits all leaves, once. */
void leaf_run(struct leaf_run *r, struct leaf_writer *w);

#endif
