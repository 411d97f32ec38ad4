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
	bool registers;		/* all indices are known when unrolled: held in variables */
	int stage;		/* that computes it, or the input's */
};

/* A constant input laid out anew: for each value of the loops (outermost first, row-major),
 * packed[loops...] = raw[index...], or 0 where an index is out of bounds. */
struct pack {
	int input;		/* place among the kernel's arguments */
	const struct tensor *raw;
	struct buffer *packed;	/* one dim */
	struct axis_list VEC(const struct axis *) loops;
	const struct expr *index[TENSOR_MAX_DIMS];
};

enum nest_kind { NEST_LOOP, NEST_LET, NEST_IF, NEST_ALLOC, NEST_STORE };

/* A node and, by next, what follows it in the same block. */
struct nest {
	enum nest_kind kind;
	struct nest *next;
	const struct axis *axis;	/* LOOP: [lo, hi); LET: the variable that VALUE defines */
	enum annotation annotation;	/* LOOP */
	const struct expr *value;	/* LET, STORE: what is stored; IF: the condition */
	struct nest *body, *other;	/* LOOP, LET, IF; other: of an IF that is false */
	struct buffer *buffer;		/* ALLOC: until the end of the block; STORE */
	const struct expr **index;	/* STORE: buffer->tensor.ndim of them */
	enum reducer reducer;		/* STORE: combines with what is there, or replaces it */
	/* For partition.c, of the node and what is below: */
	int stores;
	uint32_t compared;		/* bits of the axes in comparisons of indices */
	bool fills;			/* all stores are to local buffers, none reduces */
};

struct program {
	struct arena *arena;
	const struct state *state;
	struct buffer_vec VEC(struct buffer *) args;	/* inputs in op order, then outputs */
	struct pack_vec VEC(struct pack *) packs;
	struct nest *body;
};

/* The nest of a state, in A. NULL where the state cannot be lowered: a normal answer for a search;
 * WHY (may be NULL) gets the reason. The result has passed the checks below. */
struct program *lower(struct arena *a, const struct state *s, const char **why);

static inline struct buffer *buffer_of(const struct tensor *t)
{
	return (struct buffer *)(uintptr_t)t;
}

/* Proves that turns of parallel loops write different elements; for the nest before its loops are
 * split. False with the reason in WHY where no proof was found; so below. */
bool check_races(const struct program *p, const char **why);
/* Proves that each load and store is within its buffer, and each let within its axis. */
bool check_bounds(const struct program *p, const char **why);

/* The inputs in whose memory P may write its output, by bits of their places among the arguments:
 * each element of them is read for that element of the output alone, and that is written once. None
 * where P has more than one output. */
uint32_t program_replaces(const struct program *p);

/* Splits loops at the points where conditions change inside, so that main parts have none. False
 * with a reason where the parts become too much text. */
bool partition_loops(struct program *p, const char **why);

/* gcc takes about half a second for so many characters of unrolled code, clang a sixth of one; local
 * arrays of a thread beyond a quarter of a usual second-level cache (2 MiB) are no longer near. */
enum { MAX_TEXT = 60000, MAX_LOCAL = 512 * 1024 };

/* Convolutions are estimated 3% too long, give or take 3%: what is beyond the bound by less than this
 * is left to the emitter. */
#define TEXT_MARGIN 1.04

/* About how many characters of C the list N makes; its registers are marked. */
double nest_text(const struct nest *n);
/* False where the emitter would almost certainly refuse P as too large: it has the last word. */
bool check_bulk(const struct program *p, const char **why);

/* Decides which local buffers live in registers. */
void mark_registers(struct program *p);

/* Says in each node of NEST what is below it: stores, compared, fills. */
void nest_survey(struct nest *nest);
/* A copy in which axis FROM[i] is TO[i], with what follows from that. */
struct nest *nest_copy(struct arena *a, const struct nest *nest, const struct axis *const *from,
		       const struct expr *const *to, int n);

/* Runs the program on ARGS (inputs, with constants packed where the program says, then outputs). */
void program_interpret(const struct program *p, void *const *args);
/* Fills PACKED from RAW as the pack says. */
void pack_interpret(const struct pack *k, const void *raw, void *packed);
/* The pack of argument ARG; NULL where it is read as it is. */
const struct pack *program_pack(const struct program *p, int arg);

void program_print(struct text *t, const struct program *p);

#endif
