/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/block.h - primitives over blocks of elements.
 *
 * Elements of all types are computed with in one of four: the arithmetic of narrow floats is that of
 * f32, the one of narrow integers that of 64 bits; a bool is 0 or 1. */
#ifndef HONE_GRAPH_OP_POINTWISE_BLOCK_H
#define HONE_GRAPH_OP_POINTWISE_BLOCK_H

#include "graph/ir/array.h"
#include "graph/op/pointwise/formula.h"

enum compute {
	COMPUTE_F32,
	COMPUTE_F64,
	COMPUTE_I64,
	COMPUTE_U64,
	COMPUTE_COUNT,
};

/* Small enough for the blocks of a formula to stay in the first cache, large enough for the work
 * between them not to count. */
enum { BLOCK = 256 };

size_t compute_bytes(enum compute c);
/* What elements of E are computed in. Strings are pointers there. */
enum compute compute_of(enum element e);
/* Is E what C holds, bit for bit? */
bool compute_holds(enum compute c, enum element e);

/* N elements of DATA from FIRST on, and back, converted as element_get_... and element_put_... do. */
void compute_get(enum compute c, enum element e, const void *data, int64_t first, int64_t n,
		 void *out);
void compute_put(enum compute c, enum element e, void *data, int64_t first, int64_t n,
		 const void *in);
/* N times V. */
void compute_fill(enum compute c, double v, int n, void *out);

/* P of BLOCK elements of each argument; OUT overlaps none. */
void block_apply(enum compute c, enum primitive p, const void *x, const void *y, const void *z,
		 void *out);
/* P of single numbers. */
double primitive_apply(enum primitive p, double x, double y, double z);

#endif
