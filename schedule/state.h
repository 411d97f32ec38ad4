/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/state.h - the loop structure that a step list gives a DAG.
 *
 * In:   a frozen DAG and a list of steps.
 * Out:  stages, each with its iters in loop order and its place in the program.
 * Holds: replaying the steps of a state from an empty one gives the same state. */
#ifndef HONE_SCHEDULE_STATE_H
#define HONE_SCHEDULE_STATE_H

#include "schedule/step.h"
#include "te/dag.h"

enum annotation { ANNOTATION_NONE, ANNOTATION_PARALLEL, ANNOTATION_VECTOR, ANNOTATION_UNROLL };

/* An axis of a stage, or what splitting and fusing made of it. */
struct iter {
	const char *name;	/* i, i.0, i.1.0, i.0_j.0 */
	int64_t extent;
	bool reduce;
	enum annotation annotation;
	const struct axis *axis;	/* of the loop, where it is a leaf; of a let, where derived */
	const struct expr *value;	/* by the axes of leaves and lets */
};

struct iter_vec VEC(struct iter);
struct int_vec VEC(int);

enum relation_kind { RELATION_SPLIT, RELATION_FUSE };

struct relation {
	enum relation_kind kind;
	int parent, outer, inner;	/* a split makes outer and inner, a fuse makes parent */
	int64_t size;			/* of a split: the wanted extent of inner */
	enum tail tail;
};

struct relation_vec VEC(struct relation);

/* A variable that is not a loop: a part of a fused loop, the start of a shifted tile. */
struct let {
	const struct axis *axis;
	const struct expr *value;
};

struct let_vec VEC(struct let);

enum place {
	PLACE_ROOT,
	PLACE_INLINE,	/* no loops of its own */
	PLACE_AT,	/* inside loop at_iter of stage at_stage */
};

/* What a step changed of a stage, each more than the one before. */
enum stale {
	STALE_NOTHING,
	STALE_ORDER,	/* which loops are outside which */
	STALE_VALUES,	/* extents and values of iters */
	STALE_REGION,	/* where it is computed, by whom it is read */
};

struct stage {
	struct op op;		/* tensor, axes, body: as steps left them */
	const struct tensor *tensor;	/* its identity in loads: the DAG's, or &op.tensor's copy */
	struct tensor_vec VEC(const struct tensor *) reads;	/* what the body loads, each once */
	enum place place;
	int at_stage, at_iter;
	bool packed;		/* a constant read in loop order */
	bool is_cache;		/* made by cache_write or cache_read */
	bool is_partial;	/* made by rfactor */
	struct iter_vec iters;	/* all that ever were; those of the op's axes first */
	struct int_vec leaves;	/* the loops, outermost first */
	struct relation_vec relations;
	/* Derived by state_refresh, for each dim of the tensor: the part that is computed at a time
	 * starts at base (in axes of enclosing loops) and has `part` values. */
	const struct expr *base[TENSOR_MAX_DIMS];
	int64_t part[TENSOR_MAX_DIMS];
	struct let_vec lets;
	enum stale stale;	/* only while a step is applied */
};

struct stage_vec VEC(struct stage *);

struct state {
	struct arena *arena;
	const struct dag *dag;	/* owned by the task */
	struct step_vec steps;	/* the truth; all else is derived from it */
	struct stage_vec stages;	/* by number */
	struct int_vec order;	/* stage numbers, producers before consumers */
};

/* An empty schedule of DAG: every stage at the root, its axes as written. */
struct state *state_new(struct arena *a, const struct dag *dag);
struct state *state_copy(struct arena *a, const struct state *s);

/* Applies one step in place. False, with the state as it was (though its stages may be new objects),
 * where the step is not legal here: a normal answer for a search, counted and never printed. WHY
 * may be NULL. */
bool state_apply(struct state *s, struct step step, const char **why);

/* Reads steps (one a line or separated by ;) and applies them. NULL and a message on failure. */
struct state *state_parse(struct arena *a, const struct dag *dag, const char *file,
			  const char *text);
/* One step a line, by name. */
void state_print(struct text *t, const struct state *s);

/* The stage that computes T; -1 where there is none. */
int state_stage_of(const struct state *s, const struct tensor *t);
int state_find_stage(const struct state *s, const char *name);
int stage_find_iter(const struct stage *g, const char *name);
/* Place of iter I among the leaves; -1 where it is none. */
int stage_leaf(const struct stage *g, int iter);
bool stage_computes(const struct stage *g);	/* neither input nor constant nor inlined */
/* Stages that read stage I, in order; at most MAX of them. Returns how many there are. */
int state_consumers(const struct state *s, int stage, int *out, int max);
/* True where loop iter AT of TARGET encloses stage I, by however many attachments. */
bool state_encloses(const struct state *s, int target, int at, int stage);

/* Short forms of the steps. */
struct step step_split(int stage, int iter, int64_t size, enum tail tail);
struct step step_reorder(int stage, const int *iters, int n);
struct step step_fuse(int stage, const int *iters, int n);
struct step step_inline(int stage);
struct step step_compute_at(int stage, int target, int iter);
struct step step_cache_write(int stage);
struct step step_cache_read(int stage, int reader, const int *dims, int n);
struct step step_rfactor(int stage, int iter);
struct step step_annotate(int stage, int iter, enum annotation annotation);
struct step step_layout(int stage);

#endif
