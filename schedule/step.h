/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/step.h - the steps that make a schedule; a list of them is the only truth about one.
 *
 * Stages and iters are named by numbers that never change: an op of the DAG by its position, a
 * stage that a step made by the next number; an iter by the order of creation in its stage, the
 * op's space axes first, then its reduce axes. So a list outlives a renaming. */
#ifndef HONE_SCHEDULE_STEP_H
#define HONE_SCHEDULE_STEP_H

#include "base/text.h"
#include "base/vec.h"
#include "target/intrinsic.h"
#include "te/arrange/arrange.h"
#include "te/derive/winograd.h"

enum __attribute__((packed)) step_kind {
#define X(name, text, fields) STEP_##name,
#include "schedule/step.def"
#undef X
	STEP_KIND_COUNT
};

enum __attribute__((packed)) border {
	BORDER_OPEN,	/* lowering chooses; in a step: the sampler */
#define X(name, text, meaning) BORDER_##name,
#include "schedule/border.def"
#undef X
	BORDER_COUNT
};

enum __attribute__((packed)) derivation {
#define X(name, text, terms, meaning) DERIVATION_##name,
#include "schedule/derivation.def"
#undef X
	DERIVATION_COUNT
};

enum { STEP_MAX_ITERS = 32 };
/* What is fetched is used soon: a turn takes a cycle or two at least, so that many are the longest way to memory with as many lines on it as it carries. */
enum { PREFETCH_MAX_TURNS = 256 };
/* Lines that a turn fetches, at most: 1 MiB, half of what the second-level caches of servers hold today; what is pushed out is in the last one. */
enum { PREFETCH_MOST_LINES = 16384 };
/* What is pipelined leaves so many registers for what is spread to all lanes, and a constant (chosen), and has so many turns:
 * else there is no loop left. */
enum { PIPELINE_SPARE_REGISTERS = 2, PIPELINE_LEAST_TURNS = 3 };

/* Small: a search copies hundreds of thousands a second. */
struct step {
	enum step_kind kind;
	enum border border;
	enum derivation derivation;
	enum intrinsic_id intrinsic;
	int stage;
	int iter;
	int target;		/* the other stage */
	int n;			/* of list: iters, dims, or pairs of stored_dim: a dim, its block */
	int64_t size;
	int16_t list[STEP_MAX_ITERS];
};

struct step_vec VEC(struct step);

/* X behind what STEP lists, where there is room. */
static inline void step_push(struct step *step, int64_t x)
{
	step->list[step->n++] = (int16_t)x;
}

const char *step_name(enum step_kind k);
/* The fields as in step.def. */
const char *step_fields(enum step_kind k);

/* "partition". */
const char *border_name(enum border b);
/* Is B of a tile, the inner loop of a split, rather than of any loop? It says where tiles begin. */
static inline bool border_is_of_tile(enum border b)
{
	return b == BORDER_SHIFT || b == BORDER_EVEN;
}

/* "winograd". */
const char *derivation_name(enum derivation d);
/* Has what D makes the terms as written, in whatever order? */
bool derivation_is_exact(enum derivation d);
/* The tiles of BY, one of those by transformed tiles, with M outputs a dim. */
struct winograd_tiles derivation_tiles(enum derivation by, int64_t m);
/* Does a step of kind K make another DAG of the given one? It comes before those that schedule. */
static inline bool step_is_of_dag(enum step_kind k)
{
	return k == STEP_COLLAPSE || k == STEP_WIDEN;
}

/* STEP with other numbers for its stages: NEW[i] for i; -1 for those that NEW has no number for. */
struct step step_renamed(const struct step *step, const int *new);
/* X and Y say the same. */
bool step_equal(const struct step *x, const struct step *y);

/* Short forms of the steps. */
struct step step_collapse(void);
struct step step_widen(int64_t lanes);
struct step step_split(int stage, int iter, int64_t size);
struct step step_border(int stage, int iter, enum border border);
struct step step_derive(int stage, enum derivation derivation, int64_t size);
struct step step_reorder(int stage, const int *iters, int n);
struct step step_fuse(int stage, const int *iters, int n);
struct step step_inline(int stage);
struct step step_compute_at(int stage, int target, int iter);
struct step step_cache_write(int stage);
struct step step_cache_read(int stage, int reader, const int *dims, int n);
struct step step_rfactor(int stage, int iter);
struct step step_annotate(int stage, int iter, enum annotation annotation);
struct step step_tensorize(int stage, int iter, enum intrinsic_id intrinsic);
struct step step_place(int stage);
struct step step_layout(int stage);
struct step step_order(int stage, const struct arrangement *how);
struct step step_stream(int stage);
struct step step_pipeline(int stage, int iter);
struct step step_prefetch(int stage, int read, int iter, int64_t turns);
/* How a step LAYOUT stores; n = 0: in the order of the reader's loops. */
struct arrangement step_arrangement(const struct step *step);

#endif
