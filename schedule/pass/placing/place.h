/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/placing/place.h - what the files of the pass share: the loops (place.c), their
 * conditions (conditions.c) and what is read inside them (access.c). */
#ifndef HONE_SCHEDULE_PASS_PLACING_PLACE_H
#define HONE_SCHEDULE_PASS_PLACING_PLACE_H

#include "schedule/nest.h"

struct lowering {
	struct program *p;
	struct arena *a;
	const struct state *s;
	struct buffer **buffers;	/* by stage; NULL where it has none */
	const char *why;
};

/* The axes of stage G's expression and what stands for them in its nest. */
struct root_map {
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
	int n;
};

struct root_map root_map_of(struct arena *a, const struct stage *g);

struct depth_search {
	int depth;
	bool reduce;
};

/* How many of G's loops have to be open for E to have a value, lets resolved. */
struct depth_search depth_of(const struct stage *g, const struct expr *e);

/* Index FROM of dim DIM of a stage's tensor, in its buffer. */
struct lowered_index {
	int stage, dim;
	const struct expr *from, *to;
};

/* For lower_node(). */
struct load_access {
	struct lowering *l;
	const struct root_map *roots;
	struct lowered_index_vec VEC(struct lowered_index) known;	/* loads differ in few of their indices */
};

/* For expr_rewrite() over a stage's expression; USER is a struct load_access. An axis of the op
 * becomes its value, a load one of the buffer; what is narrow is widened. */
const struct expr *lower_node(struct arena *a, const struct expr *e, void *user);

/* A condition or a let of a stage and the number of its loops that must be open around it. */
struct placed {
	const struct axis *axis;	/* of a let; NULL for a condition */
	const struct expr *value;
	int depth;
	bool reduce;		/* depends on a reduce loop */
};

struct body {
	const struct stage *g;
	int stage;
	struct placed_vec VEC(struct placed) placed;
	int first_reduce;	/* place among the leaves; -1 where the stage reduces nothing */
	bool init;		/* only the loops and the store that set the start */
};

/* Has the buffer of G room for whole tiles along dim D? */
bool is_padded(const struct stage *g, int d);
/* A buffer of STAGE. */
struct buffer *place_buffer(struct lowering *l, int stage, enum buffer_kind kind);
/* The kernel's arguments: inputs, then outputs. */
void place_arguments(struct lowering *l);
/* Asks LOOP, which is iter ITER of stage G, for what that is to prefetch; refuses where a loop that is to is none any more. */
void place_prefetches(struct lowering *l, const struct stage *g, int iter, struct nest *loop);
void place_check_prefetches(struct lowering *l, const struct stage *g);
/* Adds the conditions and lets of B's stage. */
void place_conditions(struct lowering *l, struct body *b);

#endif
