/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/vector.h - an expression as operations of the vector unit. */
#ifndef HONE_CODEGEN_VDLA_VECTOR_H
#define HONE_CODEGEN_VDLA_VECTOR_H

#include "codegen/vdla/leaf.h"

/* Operations one behind the other, each on an element that is loaded, which takes its result. */
struct vector_chain {
	struct leaf_vector at[LEAF_VECTOR_OPS];	/* operands are those in LOAD */
	int n;
	const struct expr *load[LEAF_VECTOR_LOADS];	/* of sums; the value of all is in the first's place */
	bool written[LEAF_VECTOR_LOADS];	/* it is no more what was loaded */
	int loads;
};

/* E as a chain; false where it is none. What is written is loaded once. */
bool vector_chain_of(const struct expr *e, struct vector_chain *out);
/* The operation of a sum's or maximum's step; false where vectors have none. */
bool vector_reduces(enum reducer r, enum vdla_alu *out);

#endif
