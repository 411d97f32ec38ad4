/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/reciprocal.h - quotients that share their divisor, as products with its reciprocal: a division of a vector
 * takes as long as some ten products. Softmax and norms of `hone ops`
 * are written so; those of models and of te text may not be.
 *
 * In:   an op whose body divides floats by what is the same for several of its elements.
 * Out:  the op with x * (1 / y) for each x / y of that divisor.
 * Holds: such a quotient is rounded twice instead of once; where 1 / y is beyond the largest float, for y below 2^-128 in
 *        f32, it is infinite. */
#ifndef HONE_TE_DERIVE_RECIPROCAL_H
#define HONE_TE_DERIVE_RECIPROCAL_H

#include "te/derive/derived.h"

/* The first divisor of OP's body that LEAST quotients (2 or more) share; NULL: there is none. */
const struct expr *reciprocal_divisor(const struct op *op, int64_t least);
/* OP so; a new op in A. False, with the reason in *WHY (may be NULL), where there is no such divisor. */
bool reciprocal_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why);

#endif
