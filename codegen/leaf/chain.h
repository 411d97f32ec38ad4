/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/chain.h - an expression as operations on vectors. */
#ifndef HONE_CODEGEN_LEAF_CHAIN_H
#define HONE_CODEGEN_LEAF_CHAIN_H

#include "codegen/leaf/leaf.h"

/* Operations one behind the other, each on an element that is loaded, which takes its result. */
struct vector_chain {
	const struct leaf_limits *limits;
	struct leaf_vector at[LEAF_VECTOR_OPS];	/* operands are those in LOAD */
	int n;
	const struct expr *load[LEAF_VECTOR_LOADS];	/* of sums; the value of all is in the first's place */
	bool written[LEAF_VECTOR_LOADS];	/* it is no more what was loaded */
	int loads;
};

/* E as a chain; false where it is none. What is written is loaded once. */
bool vector_chain_of(const struct leaf_limits *limits, const struct expr *e, struct vector_chain *out);
/* Have vectors OP with NUMBER in the place of a source? */
bool vector_has_number(const struct leaf_limits *limits, enum leaf_operation op, int64_t number);
/* The operation of a sum's or maximum's step; false where vectors have none. */
bool vector_reduces(const struct leaf_limits *limits, enum reducer r, enum leaf_operation *out);

#endif
