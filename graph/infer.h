/* SPDX-License-Identifier: Apache-2.0 */
/* graph/infer.h - static shape inference.
 *
 * Needs:    a graph as a reader or function_call() left it.
 * Provides: the type of every binding, as far as it follows from the parameters; integer values
 *           computed from shapes (Shape, Gather, Concat, ...) become constants, so that a Reshape
 *           fed by them has a known shape; views of constants (Identity, Reshape) are constants.
 * Breaks:   nothing. May run again, after graph_set_dim. */
#ifndef HONE_GRAPH_INFER_H
#define HONE_GRAPH_INFER_H

#include "graph/ir.h"

/* 0, or -1 and a message naming the node whose operands cannot be. */
int graph_infer(struct graph *g);

/* What follows is for the rules in graph/shape_*.c and what reads calls as they do. */

/* One call under inference; a rule reads operands and fills out[0..nout), unknown at first. */
struct infer {
	struct graph *graph;
	const struct function *f;
	const struct call *call;
	struct type *out;
	int nout;
};

/* err_set with the node's name and operator in front. */
int infer_error(const struct infer *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The type of operand I; an unknown one where it was left out. */
const struct type *infer_arg(const struct infer *x, int i);
/* The values of operand I where it is a constant integer tensor of at most rank 1; else NULL. */
const int64_t *infer_ints(const struct infer *x, int i, int *n);
/* The list that is attribute NAME in old operator sets and operand I in new ones; else NULL. */
const int64_t *infer_list(const struct infer *x, const char *name, int i, int *n);
/* AXIS counted from the front; -1 and a message where RANK has no such axis. */
int infer_axis(const struct infer *x, int64_t axis, int rank);
/* The dim of two operands that must agree or, with BROADCAST, of which one may be 1. */
int infer_join(const struct infer *x, struct dim a, struct dim b, bool broadcast, struct dim *out);
/* The product of dims [from, to). */
struct dim infer_product(const struct type *t, int from, int to);

/* A window over nd spatial dims: attributes of the call with their defaults filled in. */
struct slide {
	int nd;
	int64_t kernel[GRAPH_MAX_RANK], stride[GRAPH_MAX_RANK], dilation[GRAPH_MAX_RANK];
	int64_t before[GRAPH_MAX_RANK], after[GRAPH_MAX_RANK];
	bool same, lower;	/* auto_pad SAME_*: as many outputs as strides fit the input */
	bool ceil;
};

/* The window of a convolution or pool whose types are static, OUT that of its result, with
 * auto_pad and ceil_mode turned into padding. -1 and a message. */
int infer_slide(const struct infer *x, const struct type *out, struct slide *w);

#define X(name, text, min, max, shape, role) int shape_##shape(struct infer *x);
#include "graph/op.def"
#undef X

/* Where the call's value is known now, its data in the graph's arena; TYPE is its static type.
 * NULL where it is not, or not worth it. */
const void *fold_call(struct infer *x, const struct type *type);

#endif
