/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/leaf.h - a statement of a nest as what an instruction does, and the loops that are left to whoever writes
 * the stream.
 *
 * In:   a nest for a target with scratchpads, behind all passes.
 * Out:  a tree of loops over numbers, with leaves: walks over entries, whose starts are sums of loops' values.
 * Holds: the loops of a leaf's instruction are its innermost ones, joined where they go through all operands alike. */
#ifndef HONE_CODEGEN_VDLA_LEAF_H
#define HONE_CODEGEN_VDLA_LEAF_H

#include "schedule/nest.h"
#include "target/vdla/binary.h"

enum { LEAF_OPERANDS = 7, LEAF_VECTOR_LOADS = 6, LEAF_LOOPS = 16, LEAF_BOUNDS = 8, LEAF_VECTOR_OPS = 12, AFFINE_TERMS = 16, LEAF_SLOTS = 96 };

/* constant + sum of coef * the value of the loop in that slot. */
struct affine {
	int64_t constant;
	int n;
	struct {
		int slot;
		int64_t coef;
	} term[AFFINE_TERMS];
};

int64_t affine_at(const struct affine *f, const int64_t *value);

enum leaf_kind { LEAF_LOAD, LEAF_STORE, LEAF_ZEROS, LEAF_GEMM, LEAF_VECTORS };

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
	enum vdla_alu op;
	int destination;
	int source;		/* VECTOR_NUMBER: the number */
	int32_t number;
};

enum { VECTOR_NUMBER = -1 };

struct leaf {
	enum leaf_kind kind;
	enum vdla_form form;	/* of transfers */
	bool columns;		/* of transfers: the innermost loop is of these, the one around it of rows; else it is of rows */
	int n;			/* operands: sums; sum, input and weight; sums and a source; scratchpad and memory, of a store sources behind */
	const struct buffer *of[LEAF_OPERANDS];
	struct affine start[LEAF_OPERANDS];	/* within the buffer, as strides are */
	int loops;
	struct leaf_loop loop[LEAF_LOOPS];	/* outermost first; at most two once it is made */
	int bounds;
	struct leaf_bound bound[LEAF_BOUNDS];
	int vectors;
	struct leaf_vector vector[LEAF_VECTOR_OPS];	/* all there is, or before a store */
};

enum leaf_node_kind { NODE_LOOP, NODE_LET, NODE_ALLOC, NODE_LEAF };

struct leaf_node {
	enum leaf_node_kind kind;
	struct leaf_node *next, *body;
	int slot;		/* LOOP, LET */
	int64_t lo, hi;		/* LOOP */
	struct affine value;	/* LET */
	const struct buffer *buffer;	/* ALLOC */
	int64_t times;		/* that it was allocated: whoever writes the stream counts */
	const struct leaf *leaf;
};

/* The tree of P's body, in A; NULL and WHY where a VDLA has no instructions for it. */
struct leaf_node *leaf_tree(struct arena *a, const struct program *p, const struct vdla_machine *m, const char **why);
enum vdla_scratchpad leaf_scratchpad(const struct buffer *b);
/* Units of memory, or entries of its scratchpad, that B takes. */
int64_t leaf_room(const struct buffer *b);

#endif
