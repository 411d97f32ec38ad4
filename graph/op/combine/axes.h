/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/axes.h - which dims an operator combines, and walks over what it combines. */
#ifndef HONE_GRAPH_OP_COMBINE_AXES_H
#define HONE_GRAPH_OP_COMBINE_AXES_H

#include "graph/eval/eval.h"
#include "graph/ir/infer.h"

/* The dims of a tensor: which are combined. */
struct axis_set {
	int rank;
	bool over[GRAPH_MAX_RANK];
};

/* N axes of a tensor of RANK, counted from the front or, negative, from the end. -1 and a message
 * where there is no such axis. */
int axes_infer(const struct infer *x, int rank, const int64_t *axis, int n, struct axis_set *out);
int axes_eval(const struct eval *x, int rank, const int64_t *axis, int n, struct axis_set *out);
struct axis_set axes_all(int rank);
struct axis_set axes_one(int rank, int axis);

/* The dims left of DIM, where KEEP with 1 for each of the others; their number. */
int axes_left(const struct axis_set *axes, const int64_t *dim, bool keep, int64_t *out);

/* Places in a dense tensor; offsets count elements. */
struct walk {
	int64_t count;
	int rank;	/* adjacent dims that can be walked as one are one */
	int64_t dim[GRAPH_MAX_RANK];
	int64_t stride[GRAPH_MAX_RANK];
};

/* Over the dims of DIM that are combined, or over the others. */
struct walk walk_over(const struct axis_set *axes, const int64_t *dim, bool combined);
/* The offset of place I. */
int64_t walk_at(const struct walk *w, int64_t i);
/* How many places from the first on lie side by side: those of the last dim, or 1. */
int64_t walk_run(const struct walk *w);

#endif
