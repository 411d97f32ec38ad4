/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/nest.h - the loop IR: what features, interpreter, checker and C source all read.
 *
 * In:   a state.
 * Out:  a program: buffers, packed constants, and a tree of loops around stores.
 * Holds: loops stay loops, each with its kind; an axis is bound once on any path; indices are
 *        simplified; nothing is expanded. */
#ifndef HONE_SCHEDULE_NEST_H
#define HONE_SCHEDULE_NEST_H

#include "schedule/state.h"

enum buffer_kind {
	BUFFER_INPUT,
	BUFFER_OUTPUT,
	BUFFER_TEMP,	/* an intermediate of the whole program */
	BUFFER_LOCAL,	/* lives inside loops, each turn its own */
};

/* Loads and stores in a nest name &buffer->tensor. */
struct buffer {
	struct tensor tensor;	/* must stay first: buffer_of casts */
	enum buffer_kind kind;
	int arg;		/* of inputs and outputs: place among the kernel's arguments */
	bool constant;		/* of inputs: known when kernels are built */
	enum memory_scope scratchpad;	/* of the target, that it is in (pass/scratchpads.c); SCOPE_REGISTERS: none */
	int slices;		/* along its first dims, one for each virtual thread; 0: it has none */
	int copies;		/* in a scratchpad, that its allocations take in turn; 0: one */
	bool registers;		/* all indices are known when unrolled: held in variables */
	/* How it is to be stored, until the pass packs has done it: */
	bool by_reader;			/* in the order in which it is read */
	const struct arrangement *order;	/* in this one; NULL: row-major, as everything is behind it */
	int stage;		/* that computes it, or the input's */
};

enum nest_kind { NEST_LOOP, NEST_LET, NEST_IF, NEST_ALLOC, NEST_STORE, NEST_PREFETCH };

/* The condition of a term that adds nothing else (pass/guard.c). */
enum guard {
	GUARD_NONE,
	GUARD_TILE,	/* it changes inside what is written out: loops around are split to decide it there */
	GUARD_LOOP,	/* once for all that is written out: no loop is split for it */
};

/* How a buffer in registers lies: in variables of `lanes` elements each. */
struct lane_layout {
	int lanes;
	int dim;		/* that they run along */
	int64_t stride;		/* elements from one lane to the next */
	bool overruns;		/* the last lanes may be written though they are beyond the end */
};

/* How the turns of a loop are written (pass/unroll.c, but for what is said). */
enum turns {
	TURNS_PLAIN,
	TURNS_FEW,	/* the compiler is asked to write them out */
	TURNS_RELOAD,	/* what one has read is not kept for the next */
	TURNS_ALIKE,	/* of different elements: the compiler is asked to take some at once */
	TURNS_TRANSPOSED,	/* with the lanes of the vector inside they are a block that is transposed (pass/transpose.c) */
	TURNS_INTERLEAVED,	/* each lane of the vector inside is a word, of one element of each turn (pass/interleave.c) */
	TURNS_COUNT
};

/* What turns of a loop are to fetch: what is read of a buffer so many turns later (pass/prefetch.c does it). */
struct prefetch {
	const struct buffer *buffer;	/* an argument or of the whole program */
	int64_t turns;
};

struct prefetch_vec VEC(struct prefetch);

/* A node and, by next, what follows it in the same block. */
struct nest {
	enum nest_kind kind;
	struct nest *next;
	const struct axis *axis;	/* LOOP: [lo, hi); LET: the variable that VALUE defines */
	enum annotation annotation;	/* LOOP */
	const struct intrinsic *intrinsic;	/* LOOP, written out: its turns are the group of this; NULL: none */
	enum border border;		/* LOOP: of turns in which a condition inside does not hold */
	bool pipelined;			/* LOOP: vectors of its next turn are to be loaded before this one computes (pass/pipeline.c) */
	struct prefetch_vec prefetches;	/* LOOP; none behind the pass */
	const struct expr *value;	/* LET, STORE: what is stored; IF: the condition; PREFETCH: which element, flat */
	struct nest *body, *other;	/* LOOP, LET, IF; other: of an IF that is false */
	enum guard guard;		/* IF */
	int lanes;			/* LOOP that is VECTOR: of its vector; 0: not known yet */
	const struct lane_layout *layout;	/* ALLOC of registers; NULL: not known yet */
	enum turns turns;		/* LOOP */
	struct buffer *buffer;		/* ALLOC: until the end of the block; STORE; PREFETCH: its line there, which need not be within it */
	bool far;			/* PREFETCH: into the second-level cache, not the first */
	const struct expr **index;	/* STORE: buffer->tensor.ndim of them */
	bool streams;			/* STORE: of whole vectors, past the caches (pass/stream.c) */
	enum reducer reducer;		/* STORE: combines with what is there, or replaces it */
	/* For partition.c, of the node and what is below: */
	int stores;
	uint32_t compared;		/* bits of the axes in comparisons of indices */
	bool fills;			/* all stores are to local buffers, none reduces */
};

struct axis_list VEC(const struct axis *);

/* What is made of a constant once, before any run: a nest of its own. */
struct pack {
	int input;		/* place among the kernel's arguments */
	struct buffer *raw;	/* as the caller has it */
	struct buffer *packed;	/* that argument, as the program reads it */
	struct nest *body;	/* reads RAW, stores PACKED */
};

struct program {
	struct arena *arena;
	const struct state *state;	/* NULL: it was read from text; for passes, only place reads it */
	const struct target *target;	/* whose code it is to be */
	struct buffer_vec VEC(struct buffer *) args;	/* inputs in op order, then outputs */
	struct pack_vec VEC(struct pack *) packs;
	struct nest *body;
	bool overlaps;		/* tiles do, as one is moved back: elements may be computed twice */
};

/* Lanes beyond the end of an intermediate are at most so far from each other. */
enum { OVERRUN_STRIDE = 4 };

/* Lanes so far from each other are picked out of whole vectors. */
static inline bool stride_is_near(int64_t stride)
{
	return stride > 1 && stride <= OVERRUN_STRIDE;
}

/* The nest of a state for TARGET, in A: all passes of schedule/pass/passes.def. NULL where the state cannot
 * be lowered, or asks for what TARGET has not: a normal answer for a search; WHY (may be NULL) gets the
 * reason. */
struct program *lower(struct arena *a, const struct state *s, const struct target *target,
		      const char **why);

/* Is B in registers of vectors or of matrices? */
static inline bool buffer_is_near(const struct buffer *b)
{
	return b->registers || b->scratchpad == SCOPE_MATRIX;
}

static inline struct buffer *buffer_of(const struct tensor *t)
{
	return (struct buffer *)(uintptr_t)t;
}

/* The inputs in whose memory P may write its output, by bits of their places among the arguments:
 * each element of them is read for that element of the output alone, and that is written once. None
 * where P has more than one output. */
uint32_t program_replaces(const struct program *p);

/* The statements that P is written with; not more than one turn beyond its target's limit are counted. */
double program_statements(const struct program *p);

/* Says in each node of NEST what is below it: stores, compared, fills. */
void nest_survey(struct nest *nest);
/* Does the value E combine with anything under R to just that? Zero times anything is zero: what is
 * multiplied by one is taken to be finite. */
bool term_is_neutral(const struct expr *e, enum reducer r);
/* Does store N, in a vector loop over AXIS, combine all lanes to one element? */
bool store_combines_lanes(const struct nest *n, const struct axis *axis);
/* Are loop N and the vector inside of it a block that can be transposed: one store to memory, no more turns than lanes? */
bool nest_is_block(const struct nest *n);
/* Are the turns of loop N with the lanes of the vector inside of it a vector of words: a store to memory, of elements as many of
 * which are one as there are turns? */
bool nest_is_of_words(const struct nest *n);
/* Are all turns of N written at once? */
static inline bool nest_is_whole(const struct nest *n)
{
	return n->turns == TURNS_TRANSPOSED || n->turns == TURNS_INTERLEAVED;
}
/* A node around BODY, which may be NULL. */
struct nest *nest_new(struct arena *a, enum nest_kind kind, struct nest *body);
/* Does LIST itself, not what is inside of its nodes, allocate a buffer? */
bool nest_allocates(const struct nest *list);
/* REST behind the list FIRST; either may be NULL. */
struct nest *nest_append(struct nest *first, struct nest *rest);
/* A copy in which axis FROM[i] is TO[i], with what follows from that. */
struct nest *nest_copy(struct arena *a, const struct nest *nest, const struct axis *const *from,
		       const struct expr *const *to, int n);

/* A copy in which what GONE tells (ALONE: of nothing beside it), a loop or a let, is its body for the first value of
 * its axis: simplified values may have that still, where they have no linear form. */
struct nest *nest_copy_without(struct arena *a, const struct nest *nest,
			       bool (*gone)(const struct nest *n, bool alone));

/* Runs the program on ARGS (inputs, with constants packed where the program says, then outputs). */
void program_interpret(const struct program *p, void *const *args);
/* Fills PACKED from RAW as the pack says. */
void pack_interpret(const struct pack *k, const void *raw, void *packed);
/* The same, sooner where the pack only moves elements. */
void pack_run(const struct pack *k, const void *raw, void *packed);
/* The pack of argument ARG; NULL where it is read as it is. */
struct pack *program_pack(const struct program *p, int arg);
/* The same; a new one, without body, where there is none. */
struct pack *program_add_pack(struct program *p, int arg);

#endif
