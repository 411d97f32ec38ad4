/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sketch.h - schedules whose structure is settled and whose sizes are open.
 *
 * In:   a DAG, and what for it is tuned.
 * Out:  a few sketches; a sampler (search/space/sampling/sample.h) fills what is open.
 * Holds: rules walk the stages from the outputs to the inputs, and look at expressions alone. */
#ifndef HONE_SEARCH_SPACE_SKETCH_H
#define HONE_SEARCH_SPACE_SKETCH_H

#include "costmodel/aim.h"
#include "schedule/state.h"
#include "search/space/expression/writing.h"

/* What the sampler decides of a step. */
enum role {
	ROLE_FIXED,	/* nothing */
	ROLE_TILE,	/* split: values of a space axis that are held in registers at a time */
	ROLE_TILE_VECTOR,	/* the same for the axis that runs with the lanes */
	ROLE_MATRIX,	/* split: the same of matrices, which are sums in tiles of a unit for these */
	ROLE_PERIOD,	/* nothing, but a split whose inner turns are held in registers as well */
	ROLE_OUTER,	/* split: register tiles that share a cache tile */
	ROLE_VTHREAD,	/* split: tiles whose turns are interleaved */
	ROLE_REDUCE,	/* split: reduced elements that are written out in a row */
	ROLE_ROWS,	/* split: the same of rows that are added to sums in a cache */
	ROLE_SUMS,	/* split: vectors of such sums */
	ROLE_VECTOR,	/* split: lanes */
	ROLE_UNROLL,	/* split: turns that are written out */
	ROLE_PERMUTE,	/* reorder: any order of the iters named */
	ROLE_BODY_ORDER,	/* reorder of what is written out: any order */
	ROLE_PLACE,	/* compute_at: at leaf number `size` of the target */
	ROLE_LOCATION,	/* compute_at: at any loop around the target's statement, or at the root */
	ROLE_STRIP,	/* the same where little is computed twice, and what is kept at a time suits a cache */
	ROLE_SCRATCH,	/* compute_at: at one of the first `size` loops of the target, or at one around these, where a scratchpad
			 * has room */
	ROLE_TAIL,	/* border of the inner loop of a tile: left to lowering, shared among tiles, or shifted */
	ROLE_EDGE,	/* border of a loop around a window: left to lowering, or a guard */
	ROLE_PANEL,	/* layout in panels: as wide as the reader's tile, whatever that is; none where tiles begin elsewhere */
	ROLE_PIPELINE,	/* pipeline: the loop around what is written out, or none */
	ROLE_PREFETCH,	/* prefetch of the target: in a loop around a reader, how far ahead; or none */
	ROLE_OPTIONAL,	/* the step may be left out */
	ROLE_PARALLEL,	/* parallel: of how many outer loops, fused; of none where the stage is not at the root */
};

static inline bool is_location(enum role role)
{
	return role == ROLE_LOCATION || role == ROLE_STRIP || role == ROLE_SCRATCH;
}

struct open_step {
	struct step step;
	enum role role;
	int64_t extent;		/* of the loop that a split is of, which a later step may take away; else 0 */
};

/* Is STEP a decision about STAGE: one of its own, or where something is computed in it? */
static inline bool is_about(const struct open_step *step, int stage)
{
	return step->role != ROLE_FIXED && (step->step.stage == stage || (is_location(step->role) && step->step.target == stage));
}

struct open_vec VEC(struct open_step);

struct sketch {
	struct open_vec steps;
	struct state *state;	/* with 1 for each open size, or 2 (rfactor's): structure only */
	const struct state *begun;	/* behind its first steps, none of which is open; NULL: no step is */
	int n_begun;		/* how many these are */
	const struct writing *writing;	/* of each stage, of a sketch that is done */
	int at;			/* stages of the order still to be looked at: [0, at) */
};

struct sketch_vec VEC(struct sketch *);

/* Is step I the first split of an axis, of a loop that the operator itself has? The others of that axis come right behind it. */
static inline bool splits_axis(const struct sketch *s, int i)
{
	const struct step *step = &s->steps.at[i].step;
	const struct op *op = &s->state->stages.at[step->stage]->op;

	return step->kind == STEP_SPLIT && step->iter < op->tensor.ndim + op->nreduce;
}

struct sketcher {
	struct arena *arena;
	struct aim aim;		/* threads: that may share loops */
	struct sketch_vec open;	/* to be worked on */
	struct sketch_vec done;
};

/* One way to treat a stage. */
struct rule {
	const char *name;
	bool ends;	/* where it applies, later rules are not tried */
	bool derives;	/* what it makes rounds otherwise than the sums as written */
	bool (*applies)(const struct sketch *s, int stage);
	/* Emits what comes next; nothing where its steps are refused. */
	void (*apply)(struct sketcher *k, const struct sketch *s, int stage);
};

#define X(name) extern const struct rule rule_##name;
#include "search/space/rules.def"
#undef X

/* All sketches of DAG, in A; at least one. Threads share loops where AIM has several, and a target for them. */
struct sketch_vec sketches_of(struct arena *a, const struct dag *dag, const struct aim *aim);

/* Sketches begin with each of the ways to have the dims of a DAG: as they are, collapsed (te/dims/collapse.h), with blocks as wide as vectors
 * (te/dims/widen.h), or both. */
enum { SKETCH_DIMS = 4 };
/* A state of DAG for T behind these steps alone, in A; NULL where way I gives nothing. */
struct state *sketch_dims(struct arena *a, const struct dag *dag, const struct target *t, int i);

/* --- for rules */

struct sketch *sketch_copy(struct arena *a, const struct sketch *s);
/* Appends a step, its open size 0. False where the state refuses it. */
bool sketch_add(struct sketch *s, struct step step, enum role role);
/* Hands S on; AT as in struct sketch. */
void sketch_emit(struct sketcher *k, struct sketch *s, int at);
/* Hands on S, in which STAGE was derived: from there on, or where one function reads what are sums no more, from that on, with
 * STAGE folded into it, for it was left to be tiled with these. */
void sketch_emit_derived(struct sketcher *k, struct sketch *s, int stage);
/* Adds the choice of a loop at which STAGE is computed, by ROLE LOCATION or STRIP, unless it is an output. */
bool sketch_locate(struct sketch *s, int stage, enum role role);
/* Is STAGE computed as the operator has it, so that a derivation may take its place? */
bool sketch_may_derive(const struct sketch *s, int stage);
bool sketch_may_derive_reduction(const struct sketch *s, int stage);	/* one that reduces */
/* The place of STAGE in the order. */
int sketch_place(const struct sketch *s, int stage);

/* The only stage that reads STAGE, where it does so element by element with permuted axes and is
 * no reduction; -1 otherwise. AXIS[d] (may be NULL) is the reader's axis that indexes dim d. */
int fusible_consumer(const struct state *s, int stage, int *axis);
/* The last of the functions that are computed with reduction STAGE; STAGE itself where there is none. */
int fusible_end(const struct state *s, int stage);
/* Is STAGE the fusible_consumer() of a reduction that is yet to be tiled, and takes it along? */
bool has_fusible_producer(const struct state *s, int stage);
bool is_read_by_reduction(const struct state *s, int stage);
/* Is STAGE the fusible_end() of a reduction, and read by another one, at once or through a function of as many dims, as
 * padding is? Then it stays with its reduction: who reads it would compute it for each element of a window. */
bool is_taken_along(const struct state *s, int stage);

#endif
