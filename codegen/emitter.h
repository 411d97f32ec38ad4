/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/emitter.h - what the files of the emitter share. */
#ifndef HONE_CODEGEN_EMITTER_H
#define HONE_CODEGEN_EMITTER_H

#include "codegen/emit.h"
#include "target/matrix.h"
#include "target/vectors/vectors.h"
#include "te/index/index.h"

/* What an axis is in the C text: a number, where its loop is written out, or a variable. */
struct bound_axis {
	const struct axis *axis;
	bool known;
	int64_t value;
	const char *name;
};

/* The C name of a buffer. One in registers is the variables NAME_0, NAME_1, ... */
struct place_name {
	const struct buffer *buffer;
	const char *name;
	const struct lane_layout *layout;	/* of one in registers */
};

/* Bytes of the local arrays of one thread: where they fit on the stack, else in memory. */
struct local_arrays {
	size_t stack, memory;
};

/* The tiles of a unit that multiplies matrices, by what they have at this place. */
struct matrix_tiles {
	bool used;
	const struct buffer *sums;	/* whose they are */
	int64_t at[MATRIX_SUMS];	/* offsets of those that were met */
	int n;
	const char *has[2][MATRIX_OPERANDS];	/* rows of an operand, as text; NULL: nothing known */
	int last[2];		/* of each operand, the tile that was used last */
};

/* A pointer that a loop moves along what its turns read. */
struct induction {
	const char *place;	/* where it begins, and the terms behind that */
	enum dtype dtype;
	const char *rest;
	int64_t step;		/* elements from one turn to the next */
	const char *name;
};

/* x86-64 has 16 registers for addresses; what else a loop needs them for has the others: chosen. */
enum { MOST_INDUCTIONS = 6 };

/* Those of the loop being written over AXIS, around which BOUND loops are bound. No axis: it moves none. */
struct inductions {
	const struct axis *axis;
	int bound;
	struct induction at[MOST_INDUCTIONS];
	int n;
};

struct emitter {
	struct arena *a;	/* scratch */
	struct text body;
	int indent;
	const struct program *p;
	const char *symbol;
	struct bound_axis_vec VEC(struct bound_axis) bindings;
	struct place_vec VEC(struct place_name) places;
	/* The vector loop being written: `lanes` turns of `axis` at a time, from `start`; or 0. */
	const struct axis *vector_axis;
	int64_t vector_start;
	int lanes;
	const struct nest *group;	/* the loop around whose turns are an intrinsic; NULL: none */
	struct matrix_tiles matrix;
	struct inductions inductions;
	const struct expr *under;	/* what lanes that may be touched fulfil; NULL: all do */
	int unique;		/* makes names distinct */
	size_t temps;		/* bytes of the intermediates of the whole program */
	struct local_arrays open, peak;	/* at this place; at any */
	const struct nest *shared;	/* the loop, around this place, whose turns threads share */
	bool streams;		/* something is stored past the caches */
	bool forks;		/* an array in memory is inside one */
	const char *why;	/* set: the program cannot be written */
	bool used_vector[DTYPE_COUNT][VECTOR_SIZES];
	bool used_helper[64];
};

/* A row-major offset in a buffer: constant + the terms of text + stride * lane. */
struct offset {
	int64_t constant;
	int64_t stride;		/* elements from one lane to the next */
	int64_t unit;		/* divides each of the terms; 0: there are none */
	int64_t last;		/* the greatest that it is for any lane */
	const char *text;	/* "" or "12 * i + ..." */
	int64_t step;		/* elements from one turn to the next of the loop that moves pointers; 0: none there */
	const char *rest;	/* the text without that loop's term */
	bool per_lane;		/* depends on the lane in a way that is not linear */
	int piece;		/* where it is so but for a jump behind each so many lanes; else 0 */
	int64_t jump;		/* elements that it adds to the stride then */
};

struct offset offset_of(struct emitter *e, const struct tensor *t, const struct expr *const *index);
/* The element of P at O, of the first lane, as a pointer: "C_2 + 80 * i + 32". */
const char *address_text(struct emitter *e, const struct place_name *p, const struct offset *o);
/* The element itself: "C_2[80 * i + 32]". */
const char *element_text(struct emitter *e, const struct place_name *p, const struct offset *o);
/* What was written into T, which it frees, in E's arena. */
const char *take_text(struct emitter *e, struct text *t);
/* An i64 expression. */
const char *index_text(struct emitter *e, const struct expr *x);
/* The number X is, with what loops are bound to; false where it varies. */
bool index_known(struct emitter *e, const struct expr *x, int64_t *value);

const struct bound_axis *binding_of(const struct emitter *e, const struct axis *axis);
struct place_name *place_of(struct emitter *e, const struct tensor *t);
/* Where an element of a buffer in registers is. */
struct slot {
	const char *cell;	/* "acc_3[5]", or "acc_3" where it has one lane; "0" of an element that is not there */
	const char *variable;	/* "acc_3" */
	int lane;
	bool within;		/* the element is there: not so in lanes that a mask leaves out */
	bool whole;		/* the lanes of the vector loop are just this variable's */
	bool uniform;		/* the same element for all lanes of the vector loop */
};

/* How many variables of a buffer of T, in registers, lie along the dim of their lanes. */
int64_t variables_along(const struct tensor *t, const struct lane_layout *l);
struct slot slot_of(struct emitter *e, const struct place_name *p, const struct expr *const *index);

/* The C library's names, without the f of floats; NULL of what is no function. */
extern const char *const c_function[EXPR_KIND_COUNT];
/* X as a C expression of its compute type, for one element. */
const char *scalar_text(struct emitter *e, const struct expr *x);
/* X for all lanes of the vector loop, of the vector type. */
const char *vector_text(struct emitter *e, const struct expr *x);
bool uses_vector(const struct emitter *e, const struct expr *x);
/* The vector type of LANES elements; noted as used. */
const char *vector_type(struct emitter *e, enum dtype t, int lanes);
/* The same for loads and stores at any address. */
const char *vector_memory_type(struct emitter *e, enum dtype t, int lanes);
/* x combined with y, as text, for a reduction. */
const char *combine_text(struct emitter *e, enum reducer r, enum dtype t, int lanes, const char *x,
			 const char *y);

struct minmax {
	bool max;
	enum dtype dtype;
	int lanes;
	bool number;	/* the first is never NaN, as the bound of a clamp: one instruction does it */
};

/* What the EXPR_MIN or EXPR_MAX X is, and its arguments in the order in which it costs least. */
struct minmax minmax_of(const struct expr *x, int lanes, const struct expr **first,
			const struct expr **second);
/* Its call with the texts X and Y. */
const char *minmax_call(struct emitter *e, struct minmax c, const char *x, const char *y);

/* Helpers that are called; the prelude has the text of each. Those of target/vectors/ it finds in the body. */
enum helper {
#define X(name, text) HELPER_##name,
#include "codegen/helper.def"
#undef X
	HELPER_COUNT
};
void use_helper(struct emitter *e, enum helper h);
/* The types and helpers that the body uses. */
void prelude(struct text *out, const struct emitter *e);

/* --- masks (codegen/mask.c) */

/* The lanes lo <= lane < hi of the vector loop, as C text; numbers where they are known. */
struct lane_run {
	bool all, none;		/* known to be so */
	bool known;
	int64_t from, to;	/* where known */
	const char *lo, *hi;
};

/* What C, a mask, asks of all lanes alike; NULL where that holds. */
const char *lanes_when(struct emitter *e, const struct expr *c);
/* Those that are turns of the loop and fulfil what this place is under, where lanes_when() does. */
struct lane_run lane_run(struct emitter *e);
/* Puts what is written from here on under C, too; gives back what it was under before. */
const struct expr *emit_under(struct emitter *e, const struct expr *c);
/* Are all lanes of the vector loop turns of it, as far as a load of T is concerned, STRIDE elements apart? */
bool reads_all_lanes(const struct emitter *e, const struct tensor *t, int64_t stride);

/* --- intrinsics (codegen/intrinsic.c) */

/* SUM with what store N, in the lanes of the intrinsic around, adds to it in all turns of the group. */
const char *intrinsic_call(struct emitter *e, const struct nest *n, const char *sum);

/* --- matrices (codegen/matrix.c) */

/* Tiles take the shape of what is multiplied into them behind N, an allocation in the scope "matrix". */
void emit_matrix_alloc(struct emitter *e, const struct nest *n);
/* Writes N if it is an operation on tiles; false where it is none. */
bool emit_matrix(struct emitter *e, const struct nest *n);
/* What operands are where is not known any more: memory or variables change. */
void emit_matrix_forget(struct emitter *e);

/* --- lanes that lie apart in registers (codegen/picked.c) */

/* Load X, in P, whose lanes are of one variable or of two; NULL where they are not. */
const char *picked_text(struct emitter *e, const struct expr *x, const struct place_name *p);

/* --- lanes that lie in pieces in memory (codegen/pieces.c) */

/* Adds COEF * X to O, what it is for the first lane included, where X is a quotient or a remainder of the lane and vectors are of whole
 * pieces by it; false where it is none such. */
bool offset_add_piece(const struct emitter *e, const struct expr *x, int64_t coef, struct offset *o);
/* Load X, at O in P, whose lanes are two pieces, each of neighbours or of one element; NULL where they are not. */
const char *pieces_text(struct emitter *e, const struct expr *x, const struct place_name *p, const struct offset *o);

/* --- lanes that lie apart in memory (codegen/apart.c) */

/* Load X, at O in P, for all lanes. */
const char *apart_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o);
/* Can lanes STRIDE elements of T apart be read under a mask? */
bool masks_apart(const struct emitter *e, enum dtype t, int64_t stride);
/* The lanes R of load X, of which the first is at O in P. */
const char *apart_masked_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o,
			      const struct lane_run *r);

/* --- blocks that are transposed (codegen/transposed.c) */

/* The loop N, whose turns are TURNS_TRANSPOSED. */
void emit_transposed(struct emitter *e, const struct nest *n);
/* The offset of T's element at INDEX for turn I of N. */
struct offset offset_at_turn(struct emitter *e, const struct nest *n, int64_t i, const struct tensor *t,
			     const struct expr *const *index);

/* --- lanes that are words (codegen/interleaved.c) */

/* The loop N, whose turns are TURNS_INTERLEAVED. */
void emit_interleaved(struct emitter *e, const struct nest *n);

/* --- pointers that loops move (codegen/induction.c) */

/* The term of L that its turns change by a step; -1: there is none, or something else changes, too. */
int induction_term(const struct emitter *e, const struct linear *l);
/* The one that is at O in P; NULL: there is none. */
const char *induction_of(struct emitter *e, const struct place_name *p, const struct offset *o);
/* Writes N, a loop that goes round, with those that it moves, each from where it begins; false where it moves none. */
bool emit_moving(struct emitter *e, const struct nest *n);
/* Their moves, at the end of a turn. */
void emit_induction_moves(struct emitter *e);

/* --- places (codegen/place.c) */

void emit_arguments(struct emitter *e);
/* Pointers to the intermediates of the whole program, which begin the workspace. */
void emit_temps(struct emitter *e);
/* What the function that packs has, and what it computes on the way: behind the packed constant. */
void emit_pack_places(struct emitter *e, const struct pack *k);
/* What the rest of the kernel counts on: where the parts of the workspace begin. */
void emit_workspace(struct emitter *e);
/* What the kernel needs, known once its body is written. */
struct emit_needs kernel_needs(const struct emitter *e);
/* The place of a local buffer; one of the whole program has its own already. */
void emit_alloc(struct emitter *e, const struct nest *n);

/* --- phases (codegen/phase.c) */

/* The whole program; how many phases it has. */
int emit_phases(struct emitter *e);

/* --- statements (codegen/statement.c) */

/* A line of the body, indented. */
void emit_line(struct emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* NAME as a C identifier that no other variable has. */
const char *emit_name(struct emitter *e, const char *name);
void emit_bind(struct emitter *e, struct bound_axis b);
/* What is written between both is of all lanes of the vector loop N. */
void emit_begin_lanes(struct emitter *e, const struct nest *n);
void emit_end_lanes(struct emitter *e);
/* N, a loop that goes round. */
void emit_for(struct emitter *e, const struct nest *n);
void emit_node(struct emitter *e, const struct nest *n);
/* N and what follows it. */
void emit_list(struct emitter *e, const struct nest *n);

#endif
