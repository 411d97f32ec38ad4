/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/indices.h - indices that are data, for gather and scatter: operand 1 of both.
 *
 * Holds: every place that is given is within the tensor. */
#ifndef HONE_GRAPH_OP_MOVE_INDICES_H
#define HONE_GRAPH_OP_MOVE_INDICES_H

#include "graph/eval/eval.h"
#include "graph/ir/infer.h"
#include "graph/op/move/strided.h"

/* The elements of operand I as indices in [0, EXTENT), negative ones from the end; NULL and a
 * message where one is beyond. */
const int64_t *eval_indices(struct eval *x, int i, int64_t extent);

/* --- an index for each element, along one axis */

/* -1 and a message where AT, indices along AXIS of FROM, is known to have another rank, or an extent
 * that FROM has not. */
int infer_indexed(const struct infer *x, const struct type *from, const struct type *at, int axis);

struct element_picks {
	const int64_t *index;
	struct odometer base;	/* over the indices; the offset in the tensor without the axis */
	int64_t stride;		/* of the axis */
};

/* Of operand 1 along the call's axis of FROM. -1 and a message. */
int eval_picks(struct eval *x, const struct array *from, struct element_picks *picks);
/* The place in FROM that the next index names. */
int64_t picks_next(struct element_picks *picks);

/* --- rows of indices, one index for each of the first axes */

/* The length of the rows, behind BATCH axes in common; -1 where it is not known. -1 and a message
 * where it does not fit. */
int infer_tuples(const struct infer *x, const struct type *from, const struct type *at, int64_t batch,
		 int64_t *depth);

struct tuple_picks {
	int64_t count;		/* rows */
	int64_t *offset;	/* the place of the first element that each of them names */
	int64_t inner;		/* elements that it names, from there on */
	int first;		/* the first axis that no index is for */
};

int eval_tuples(struct eval *x, const struct array *from, int batch, struct tuple_picks *picks);

#endif
