/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/making.h - what the files share that make leaves. */
#ifndef HONE_CODEGEN_LEAF_MAKING_H
#define HONE_CODEGEN_LEAF_MAKING_H

#include "codegen/leaf/leaf.h"

/* The slots that were in use where a buffer begins. */
struct allocated {
	const struct buffer *buffer;
	int slots;
};

struct leaf_maker {
	struct arena *a;
	const struct leaf_limits *limits;
	const struct axis *axis[LEAF_SLOTS];	/* of the loop in each slot; NULL: of a part of an instruction */
	int64_t turns[LEAF_SLOTS];	/* of a loop around what is being made; else 0 */
	const struct affine *let[LEAF_SLOTS];	/* or the value that is there; NULL */
	int slots;
	struct allocated_vec VEC(struct allocated) allocated;
	bool mixes;		/* a condition is on two loops of what was tried as a leaf */
	const char *why;
};

/* A leaf while it is made: its loops are still those of the nest, strides in elements. */
struct leaf_making {
	struct leaf_maker *m;
	struct leaf leaf;
	const struct axis *axis[LEAF_LOOPS];
};

/* Elements of an entry of B's scratchpad; of memory: bytes of a unit over those of an element. */
int64_t leaf_unit(const struct leaf_limits *limits, const struct buffer *b);
/* The first reason counts. */
void leaf_refuse(struct leaf_maker *m, const char *why);
void leaf_add_term(struct leaf_maker *m, struct affine *f, int slot, int64_t coef);
/* A slot for the loop of AXIS, or of none. */
int leaf_new_slot(struct leaf_maker *m, const struct axis *axis);
/* The first slot of a loop within which B is there. */
int leaf_allocated_at(const struct leaf_maker *m, const struct buffer *b);
/* Operand I of the leaf is the element of T at INDEX; what LOAD reads. */
void leaf_set_operand(struct leaf_making *k, int i, const struct tensor *t, const struct expr *const *index);
void leaf_set_load(struct leaf_making *k, int i, const struct expr *load);
/* Operand I, which was set, must be there. */
void leaf_check_scratchpad(struct leaf_making *k, int i, enum memory_scope scope);
/* STORE, to memory, as vector operations and a transfer. */
void leaf_make_store(struct leaf_making *k, const struct nest *store);
/* Operand 0, sums, becomes NUMBER; it gets STORE's step of a reduction. */
void leaf_make_fill(struct leaf_making *k, int64_t number);
void leaf_make_step(struct leaf_making *k, const struct nest *store);
/* Takes loop J out of K's leaf. */
void leaf_drop_loop(struct leaf_making *k, int j);
/* K's leaf, with the loops that its instruction has, in those that it has not; NULL where it is refused. */
struct leaf_node *leaf_finish(struct leaf_making *k);

#endif
