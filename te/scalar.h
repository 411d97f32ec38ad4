/* SPDX-License-Identifier: Apache-2.0 */
/* te/scalar.h - the value of one operation on elements: what every evaluator and interpreter means.
 *
 * A value of a float type is held in f, one of an integer type or bool in i. Each result is rounded
 * to its type, integers wrap; f16 and bf16 arithmetic is f32 arithmetic, rounded when it is stored
 * or cast. Integers never pass through a double. */
#ifndef HONE_TE_SCALAR_H
#define HONE_TE_SCALAR_H

#include "te/expr.h"

union scalar {
	int64_t i;
	double f;
};

/* K of one argument of type T. */
union scalar scalar_unary(enum expr_kind k, enum dtype t, union scalar x);
/* K of two arguments of type T; comparisons and logic give a bool. A quotient by 0 is 0, so that
 * hostile data cannot trap. min and max of floats are NaN where one of both is. */
union scalar scalar_binary(enum expr_kind k, enum dtype t, union scalar x, union scalar y);
/* X of type FROM as a TO. Floats to integers are truncated, then wrapped. */
union scalar scalar_cast(enum dtype to, enum dtype from, union scalar x);
/* X as memory would hold it: a f16 or bf16 loses the bits that arithmetic kept. */
union scalar scalar_stored(enum dtype t, union scalar x);
/* The value of an EXPR_INT or EXPR_FLOAT. */
union scalar scalar_const(const struct expr *e);

/* Element I of an array of T. */
union scalar scalar_load(enum dtype t, const void *data, int64_t i);
void scalar_store(enum dtype t, void *data, int64_t i, union scalar v);


#endif
