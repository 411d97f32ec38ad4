/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/stage.h - a stage of a state: what computes one tensor, its loops and its place. */
#ifndef HONE_SCHEDULE_STAGE_H
#define HONE_SCHEDULE_STAGE_H

#include "schedule/step.h"
#include "te/dag.h"

/* An axis of a stage, or what splitting and fusing made of it. */
struct iter {
	const char *name;	/* i, i.0, i.1.0, i.0_j.0 */
	int64_t extent;
	bool reduce;
	enum annotation annotation;
	const struct intrinsic *intrinsic;	/* that its turns are the group of; NULL: none */
	enum border border;
	bool pipelined;		/* vectors of its next turn are loaded before this one computes */
	/* Derived by state_settle: */
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
	enum border tiles;		/* of a split that does not divide: SHIFT or EVEN, where they begin; OPEN: side by side */
};

struct relation_vec VEC(struct relation);

/* A variable that is not a loop: a part of a fused loop, the start of a shifted tile. */
struct let {
	const struct axis *axis;
	const struct expr *value;
};

struct let_vec VEC(struct let);

/* What a body loads of a tensor. Regions are boxes: which index goes with which does not matter to them. */
struct stage_read {
	const struct tensor *tensor;
	struct expr_vec VEC(const struct expr *) index[TENSOR_MAX_DIMS];	/* of each dim, each once */
};

/* Values at the end of a region that are not needed in all turns: there are tiles of one value less. */
struct surplus {
	int64_t n;		/* so many; 0: all are needed, or none is known not to be */
	const struct expr *unless;	/* by axes of enclosing loops; where it holds, they are */
};

/* What a turn of loop `iter` fetches: what is read of stage `read` in it so many `turns` later. */
struct stage_prefetch {
	int read, iter;
	int64_t turns;
};

enum place {
	PLACE_ROOT,
	PLACE_INLINE,	/* no loops of its own */
	PLACE_AT,	/* inside loop at_iter of stage at_stage */
	PLACE_OFFLINE,	/* once, from the constant at_stage */
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
	struct stage_read_vec VEC(struct stage_read) reads;	/* by tensor, each once */
	enum place place;
	int at_stage, at_iter;
	bool packed;		/* stored in the order in which its reader's loops come */
	struct arrangement stored;	/* how its tensor is, by steps */
	bool streams;		/* stored past the caches, where that can be */
	struct stage_prefetch_vec VEC(struct stage_prefetch) prefetches;
	bool is_cache;		/* made by cache_write or cache_read */
	bool is_partial;	/* made by rfactor */
	bool is_of_tiles;	/* made of a sum as products of transformed tiles (te/derive/winograd.h) */
	struct iter_vec iters;	/* all that ever were; those of the op's axes first */
	struct int_vec leaves;	/* the loops, outermost first */
	struct relation_vec relations;
	/* Derived by state_refresh, for each dim of the tensor: the part that is computed at a time
	 * starts at base (in axes of enclosing loops) and has `part` values. */
	const struct expr *base[TENSOR_MAX_DIMS];
	int64_t part[TENSOR_MAX_DIMS];
	struct surplus surplus[TENSOR_MAX_DIMS];
	struct let_vec lets;	/* derived by state_settle, as are axes and values of iters */
	bool settled;	/* they are those of the loops as they are */
	enum stale stale;	/* only while a step is applied */
};

struct stage_vec VEC(struct stage *);

/* A stage that computes OP, with its axes as loops; IDENTITY is the tensor that loads name. */
struct stage *stage_new(struct arena *a, const struct op *op, const struct tensor *identity);
/* Gives G another expression. */
void stage_set_body(struct arena *a, struct stage *g, const struct expr *body);

int stage_find_iter(const struct stage *g, const char *name);
/* The dim of the tensor, or beyond them the reduced axis, that iter I is a part of; -1 where it is of several. */
int stage_root_of(const struct stage *g, int iter);
/* The split that made iter I as the inner of its two; NULL: none. */
struct relation *stage_split_of(const struct stage *g, int iter);
/* Is iter I the inner one of a split that does not divide? */
bool stage_has_tail(const struct stage *g, int iter);
/* Has split R tiles of one value less than its inner iter has turns? */
bool stage_has_short_tiles(const struct stage *g, const struct relation *r);
/* How many of its tiles, the first, are no such. */
int64_t stage_long_tiles(const struct stage *g, const struct relation *r);
/* That a tile is one of these, and that a turn of the inner iter is one of its tile. */
const struct expr *stage_is_long(struct arena *a, const struct stage *g, const struct relation *r);
const struct expr *stage_within_tile(struct arena *a, const struct stage *g, const struct relation *r);
/* Place of iter I among the leaves; -1 where it is none. */
int stage_leaf(const struct stage *g, int iter);
/* The loop of G that is the group of an intrinsic; NULL: none. */
const struct iter *stage_group(const struct stage *g);
bool stage_computes(const struct stage *g);	/* neither input nor constant nor inlined */
bool stage_is_constant(const struct stage *g);	/* or was computed once, from one */
/* Has no step split or fused its loops, or settled its place? */
bool stage_is_untouched(const struct stage *g);
/* What G's body loads of T; NULL: nothing. */
const struct stage_read *stage_read_of(const struct stage *g, const struct tensor *t);
/* G's body loads T. */
bool stage_reads(const struct stage *g, const struct tensor *t);

/* Notes that something derived of G is not what it was. */
static inline void stage_touch(struct stage *g, enum stale stale)
{
	if (g->stale < stale)
		g->stale = stale;
}

#endif
