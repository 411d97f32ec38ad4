/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/operand.h - an operand of a broadcasting operator, read in blocks of the result's
 * elements. */
#ifndef HONE_GRAPH_OP_POINTWISE_OPERAND_H
#define HONE_GRAPH_OP_POINTWISE_OPERAND_H

#include "graph/op/pointwise/block.h"

struct broadcast {
	const struct array *from;
	enum compute compute;
	int rank;			/* adjacent dims that can be walked as one are one */
	int64_t dim[GRAPH_MAX_RANK];	/* of the result */
	int64_t stride[GRAPH_MAX_RANK];	/* in FROM; 0 where it repeats */
	void *block;			/* room for BLOCK elements */
};

/* FROM repeated over the result's dims, which it broadcasts to; its block lives in A. */
struct broadcast broadcast_of(struct arena *a, const struct array *from, enum compute c, int rank,
			      const int64_t *dim);
/* What stands at the N <= BLOCK elements of the result from FIRST on: BLOCK elements may be read,
 * those beyond N of any value. In the operand itself or in b->block. */
const void *broadcast_read(struct broadcast *b, int64_t first, int n);

#endif
