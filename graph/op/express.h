/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/express.h - a call as a tensor expression of te/: for the operators' express functions. */
#ifndef HONE_GRAPH_OP_EXPRESS_H
#define HONE_GRAPH_OP_EXPRESS_H

#include "graph/ir/op.h"
#include "te/ops.h"

struct express {
	struct dag *dag;
	const struct binding *call;	/* its type is static */
	/* For each operand its type, which is static; the op that gives it, NULL where it was left
	 * out or is only known as a constant; the constant where it is one. */
	const struct type *const *types;
	struct op *const *ops;
	const struct array *const *consts;
};

/* A message with the operator in front. Returns NULL. */
struct op *express_error(const struct express *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The one element of operand I; false where it is no constant of one element, or an integer that no
 * double holds. */
bool express_scalar(const struct express *x, int i, double *v);
/* The extents of operand I's and of the result's type; their number. */
int express_shape(const struct express *x, int i, int64_t *dim);
int express_result(const struct express *x, int64_t *dim);
/* The result's element type as kernels know it. */
enum dtype express_dtype(const struct express *x);

#endif
