/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/leaf.h - a statement of a nest as what an instruction of an accelerator does, and the loops that are left to
 * whoever writes the stream.
 *
 * In:   a nest for a target with scratchpads, behind all passes, and what instructions of a device have room for.
 * Out:  a tree of loops over numbers, with leaves: walks over entries, whose starts are sums of loops' values.
 * Holds: the loops of a leaf's instruction are its innermost ones, joined where they go through all operands alike. Nothing here
 *        knows a device: one with scratchpads, transfers of rows and columns, and instructions with loops of their own says what
 *        it is by struct leaf_limits, and makes its instructions of leaves. */
#ifndef HONE_CODEGEN_LEAF_LEAF_H
#define HONE_CODEGEN_LEAF_LEAF_H

#include "schedule/nest.h"

enum {
	LEAF_OPERANDS = 7, LEAF_VECTOR_LOADS = 6, LEAF_VECTOR_OPS = 12,
	LEAF_LOOPS = 16, LEAF_OWN_LOOPS = 4,	/* of the nest's, while it is made, and of an instruction */
	LEAF_BOUNDS = 8, AFFINE_TERMS = 16, LEAF_SLOTS = 96,
};

/* What vectors compute, x an element of the destination, y of the source or a number; 32 bits, wrapping. */
enum leaf_operation {
	LEAF_ADD,
	LEAF_MAX,
	LEAF_MIN,
	LEAF_MUL,
	LEAF_SHIFT,		/* (x + 2^(y - 1)) >> y: to nearest, halves up; y is a number from 1 on */
	LEAF_SHIFT_DOWN,	/* x >> y */
	LEAF_COPY,		/* y */
	LEAF_OPERATIONS
};

/* --- a device */

/* The most that the loops of an instruction have. */
struct leaf_steps {
	int64_t count;		/* turns of one */
	int64_t stride[SCOPE_COUNT];	/* from a turn to the next: entries of that scratchpad */
};

struct leaf_limits {
	const struct operand_scopes *operands;	/* scratchpads of products; vectors are computed with in that of sums, which are i32 */
	int64_t entry_bytes[SCOPE_COUNT];	/* of a scratchpad: what one product or vector operation works on */
	int64_t entries[SCOPE_COUNT];	/* that a scratchpad has */
	int64_t unit_bytes;	/* that memory is addressed by */
	int loops;		/* that products and vector operations have; LEAF_OWN_LOOPS at most */
	struct leaf_steps products, vectors;
	int64_t rows;		/* of a transfer, at most */
	bool narrow;		/* sums may be bytes in memory: loads extend their sign, stores limit to [-128, 127] */
	bool computes[LEAF_OPERATIONS];	/* vectors do; a shift to nearest that is lacking is a sum and a shift */
	int64_t number_least, number_most;	/* that a vector operation has in the place of a source */
};

/* --- leaves */

/* constant + sum of coef * the value of the loop in that slot. */
struct affine {
	int64_t constant;
	int n;
	struct {
		int slot;
		int64_t coef;
	} term[AFFINE_TERMS];
};

enum leaf_kind { LEAF_LOAD, LEAF_STORE, LEAF_ZEROS, LEAF_PRODUCTS, LEAF_VECTORS };

struct leaf_loop {
	int64_t extent;
	int64_t stride[LEAF_OPERANDS];	/* entries of scratchpads, units of memory */
};

/* f + coef * loop >= 0; loop < 0: f alone. */
struct leaf_bound {
	struct affine f;
	int loop;
	int64_t coef;
};

/* A vector operation on an operand, with another or a number. */
struct leaf_vector {
	enum leaf_operation op;
	int destination;
	int source;		/* VECTOR_NUMBER: the number */
	int32_t number;
};

enum { VECTOR_NUMBER = -1 };

struct leaf {
	enum leaf_kind kind;
	bool narrow;		/* of transfers: of sums that are bytes in memory */
	bool columns;		/* of transfers: the innermost loop is of these, the one around it of rows; else it is of rows */
	int n;			/* operands: sums; sum, input and weight; sums and a source; scratchpad and memory, of a store sources behind */
	const struct buffer *of[LEAF_OPERANDS];
	struct affine start[LEAF_OPERANDS];	/* within the buffer, as strides are */
	int loops;		/* LEAF_OWN_LOOPS at most once it is made, of transfers two */
	struct leaf_loop loop[LEAF_LOOPS];	/* outermost first */
	int bounds;
	struct leaf_bound bound[LEAF_BOUNDS];
	int vectors;
	struct leaf_vector vector[LEAF_VECTOR_OPS];	/* all there is, or before a store */
};

/* Turns of each of a leaf's loops in which its conditions hold: all from lo to below hi. */
struct leaf_turns {
	int64_t lo[LEAF_OWN_LOOPS], hi[LEAF_OWN_LOOPS];
	bool none;
};

/* Where the loops around L have values that make F of each of its bounds. */
struct leaf_turns leaf_turns_at(const struct leaf *l, const int64_t f[LEAF_BOUNDS]);

/* What moves with a loop or a place, and by how much. */
struct leaf_move {
	int64_t *at;
	int64_t coef;
};

enum leaf_node_kind { NODE_LOOP, NODE_LET, NODE_ALLOC, NODE_LEAF };

struct leaf_node {
	enum leaf_node_kind kind;
	struct leaf_node *next, *body;
	int slot;		/* LOOP, LET */
	int64_t lo, hi;		/* LOOP */
	struct affine value;	/* LET */
	const struct buffer *buffer;	/* ALLOC */
	int64_t room;		/* ALLOC: entries of its scratchpad, or units of memory, that one copy takes */
	const struct leaf *leaf;

	/* Of a run alone (run.h). */
	struct leaf_move_vec VEC(struct leaf_move) moves;	/* LOOP: by a turn; ALLOC: by an entry */
	int64_t first, at;	/* ALLOC: of its copies the first entry, and that of the one that it has */
	int64_t times;		/* ALLOC: that it was allocated */
	struct leaf_visit *visit;	/* LEAF */
};

/* The tree of P's body, in A; NULL and WHY where instructions with LIMITS do not do that. */
struct leaf_node *leaf_tree(struct arena *a, const struct program *p, const struct leaf_limits *limits, const char **why);

#endif
