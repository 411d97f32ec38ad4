/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/space.h - the storages that the images of a model may have, and what they take.
 *
 * In:   a graph whose operators were fused.
 * Out:  for each application of a fused function in main the states that it may be in, each with
 *       the task that its kernel is; for each image the transforms from one storage to another.
 * Holds: the first state is the plain one; a state stores all images that it can in its manner, and
 *        weights as they are. */
#ifndef HONE_GRAPH_LAYOUT_SPACE_H
#define HONE_GRAPH_LAYOUT_SPACE_H

#include "graph/layout/chosen.h"
#include "graph/task/task.h"
#include "graph/task/variant.h"

struct layout_state {
	enum layout_manner manner;
	const int64_t *stored;	/* by parameter, then the result */
	int task;		/* index of the space's tasks */
};

struct layout_node {
	int value;		/* of main: the application */
	int nstates;
	struct layout_state state[MANNER_COUNT];
};

struct layout_node_vec VEC(struct layout_node);

/* The storages of one value of main. */
struct layout_image {
	int n;				/* 1: it is no image, or nobody asks for another */
	int store[MANNER_COUNT];	/* the first is plain */
	/* transform[i][j]: the task that makes store[j] of store[i]; -1 where that is a view. */
	int transform[MANNER_COUNT][MANNER_COUNT];
};

struct layout_space {
	struct arena *arena;
	const struct graph *graph;
	int lanes;			/* floats of a vector */
	struct model_task_vec tasks;	/* distinct; no uses */
	struct layout_node_vec nodes;	/* in the order of main */
	int *node_of;			/* by value; -1: no node */
	struct layout_image *images;	/* by value */
};

/* The space of G for vectors of LANES floats, in A; it has no nodes where G has no image operator. */
struct layout_space *layout_space_new(struct arena *a, const struct graph *g, int lanes);
/* How MANNER stores an image of plain type T. */
int layout_store(const struct type *t, enum layout_manner manner, int lanes);
/* Place of STORE among those of image X; -1. */
int layout_image_place(const struct layout_image *x, int64_t store);

#endif
