/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/vector.h - an expression as operations of the vector unit. */
#ifndef HONE_CODEGEN_VDLA_VECTOR_H
#define HONE_CODEGEN_VDLA_VECTOR_H

#include "codegen/vdla/leaf.h"

/* E as operations, at most MOST, one behind the other on one element, whose load is given back: each with a number or with
 * another load, which is operand FIRST + its place in SOURCES, at most *SOURCE_COUNT. NULL: it is not such. */
const struct expr *vector_chain(const struct expr *e, struct leaf_vector *out, int *n, int most,
				const struct expr **sources, int *source_count, int first);

#endif
