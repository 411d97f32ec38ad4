/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/space.h - the ways in which a model may be computed, and the kernels of each.
 *
 * In:   a graph whose operators were fused.
 * Out:  for each application of a fused function in main the states that it may be in: how it stores
 *       images, and which kernels compute it; for each image the transforms from one storage to
 *       another.
 * Holds: the first state is the plain one, as the rules of fusion have it; a state stores all images
 *        that it can in its manner, and weights as they are. */
#ifndef HONE_GRAPH_LAYOUT_SPACE_H
#define HONE_GRAPH_LAYOUT_SPACE_H

#include "graph/layout/chosen.h"
#include "graph/task/task.h"
#include "graph/task/variant.h"

/* One kernel of a state. It is a value, as those of main are: beyond these, in the order of kernels. */
struct layout_kernel {
	int function;		/* of the space's graph, plain; FUNCTION_NONE: no kernel but the
				 * constants ARGS, one behind the other along AXIS */
	int axis;
	int nargs;
	const int *args;	/* values */
	const int64_t *stored;	/* by argument, then the result */
	int task;		/* index of the space's tasks; -1: it moves nothing */
};

struct layout_kernel_vec VEC(struct layout_kernel);

struct layout_state {
	enum layout_manner manner;
	bool usual;		/* one kernel, as the rules of fusion have it */
	int pact;		/* chosen with the states of the same pact, or none; -1: by itself */
	int kernel, nkernels;	/* in order, the last gives the result; 0: another node's compute it */
};

struct layout_state_vec VEC(struct layout_state);

struct layout_node {
	int value;		/* of main: the application */
	struct layout_state_vec states;
};

struct layout_node_vec VEC(struct layout_node);
struct layout_list_vec VEC(struct value_vec);

/* The storages of one value of main. */
struct layout_image {
	int n;				/* 1: it is no image, or nobody asks for another */
	int store[MANNER_COUNT];	/* the first is plain */
	/* transform[i][j]: the task that makes store[j] of store[i]; -1 where that is a view. */
	int transform[MANNER_COUNT][MANNER_COUNT];
	int priced;			/* of stores: transforms among the first of them are there */
};

/* What a task takes about where nobody measured it, as far as one can say. */
struct layout_likeness {
	struct value_vec tasks;	/* what these do together; none: it is usual, or like nothing */
	int64_t spared;		/* bytes of the image that these store and read and it does not, where that
				 * is all it gains; 0: it may gain in other ways */
};

struct layout_likeness_vec VEC(struct layout_likeness);

struct layout_space {
	struct arena *arena;
	struct graph *graph;		/* the model's, and behind its functions those of alternatives */
	int lanes;			/* floats of a vector */
	struct model_task_vec tasks;	/* distinct; no uses */
	int usual;			/* the first of them: those of usual states, and transforms */
	struct layout_likeness_vec like;	/* by task */
	struct layout_node_vec nodes;	/* in the order of main */
	struct layout_kernel_vec kernels;
	struct layout_list_vec pacts;	/* the nodes of each */
	int *node_of;			/* by value; -1: no node */
	struct layout_image *images;	/* by value */
};

/* The space of G for vectors of LANES floats, in A; it has no nodes where G has no image operator. */
struct layout_space *layout_space_new(struct arena *a, const struct graph *g, int lanes);
/* Place of STORE among those of image X; -1. */
int layout_image_place(const struct layout_image *x, int64_t store);
/* The first kernel of a state of X, its others behind it. */
const struct layout_kernel *layout_kernels(const struct layout_space *x, const struct layout_state *s);
/* How the result of S, which has kernels, is stored. */
int64_t layout_result(const struct layout_space *x, const struct layout_state *s);
/* Are the states of STATE, by node, such that pacts hold? */
bool layout_holds(const struct layout_space *x, const int *state);

#endif
