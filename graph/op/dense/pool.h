/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/pool.h - what pools have in common. */
#ifndef HONE_GRAPH_OP_DENSE_POOL_H
#define HONE_GRAPH_OP_DENSE_POOL_H

#include "graph/op/dense/product.h"
#include "graph/op/dense/slide.h"
#include "graph/op/gradient.h"

#define POOL_ATTRS                                                                                 \
	{ "kernel", ATTR_INTS, 0, NULL, "extents of the window" },                                 \
	SLIDE_ATTRS,                                                                               \
	{ "ceil", ATTR_INT, 0, NULL, "1: a window that begins inside may end beyond the padding" }

/* A pool that is being computed. */
struct pooling {
	struct slide slide;
	enum element element;	/* that is computed in: f32 or f64 */
	int64_t planes;		/* images x channels */
	int64_t plane, places;	/* elements of one, of its result */
	const char *x;
	struct array *y;	/* result 0 */
};

/* The type of a pool's result: that of operand 0 with places for elements. */
int pool_type(struct infer *x);
int pool_begin(struct eval *x, struct pooling *p);
/* The maximum of a window that sees only padding. */
double pool_lowest(enum element e);
/* The gradient by operand 0, where G is that by elements of it at INDICES, flat. */
int pool_spread(struct gradient *x, int g, int indices);

#endif
