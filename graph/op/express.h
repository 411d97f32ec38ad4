/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/express.h - a call as a tensor expression of te/: for the operators' express functions. */
#ifndef HONE_GRAPH_OP_EXPRESS_H
#define HONE_GRAPH_OP_EXPRESS_H

#include "graph/ir/op.h"
#include "te/ops.h"

struct express {
	struct dag *dag;
	const struct binding *call;	/* its type is static */
	/* For each operand its type, which is static; the op that gives it, of kind OP_CONST where it
	 * is a weight, NULL where it was left out or is no tensor of kernels; the constant where it
	 * is one. Ops that no expression reads are dropped: a constant may become a literal. */
	const struct type *const *types;
	struct op *const *ops;
	const struct array *const *consts;
	struct op **views;	/* for each operand what express_view gave; NULL: nobody asks */
};

/* A message with the operator in front. Returns NULL. */
struct op *express_error(const struct express *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The one element of operand I; false where it is no constant of one element, or an integer that no
 * double holds. */
bool express_scalar(const struct express *x, int i, double *v);
/* The elements of operand I, integers, and their number; NULL and a message where it is no
 * constant. */
const int64_t *express_ints(const struct express *x, int i, int *n);
/* Operand I, an input or a constant, as a tensor of another shape with as many elements, as the
 * builders of te/ops.h want it: the kernel takes the same elements. NULL and a message where it is
 * computed by the kernel itself. */
struct op *express_view(struct express *x, int i, int rank, const int64_t *dim);
/* Constant operand I as a vector of the channels (dim 1) of operand J, for op_bias and op_scale.
 * NULL without a message where it is no such constant. */
struct op *express_channels(struct express *x, int i, int j);
/* The extents of operand I's and of the result's type; their number. */
int express_shape(const struct express *x, int i, int64_t *dim);
int express_result(const struct express *x, int64_t *dim);
/* The result's element type as kernels know it. */
enum dtype express_dtype(const struct express *x);

/* The result, element by element: what READ gives at its AXES. NULL and a message where it has no
 * elements, te/ has not their type or READ gives NULL. */
struct op *express_map(const struct express *x, const char *name,
		       const struct expr *(*read)(const struct express *x,
						  const struct expr *const *axes));
/* Operand I at these indices. */
const struct expr *express_load(const struct express *x, int i, const struct expr *const *index);
/* Operand 0 with the shape of the result. */
struct op *express_reshape(struct express *x);

#endif
