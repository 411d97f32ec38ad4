/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/place.h - one block after the other into the gaps that those before it left. */
#ifndef HONE_RUNTIME_PLAN_PLACE_H
#define HONE_RUNTIME_PLAN_PLACE_H

#include "runtime/plan/problem.h"

enum plan_fit {
	FIT_FIRST,	/* the lowest gap */
	FIT_BEST,	/* the gap in which the least is left over; the lowest of these */
};

enum { PLACE_NONE = -1 };

/* Offsets for the blocks of B, which have their edges. */
struct placing {
	const struct plan_blocks *blocks;
	int64_t *offset;	/* by block; PLACE_NONE where it has no place yet */
	struct plan_taboo *taboo;	/* scratch: room for all edges of a block */
};

struct placing placing_new(struct arena *a, const struct plan_blocks *b);
/* Places all blocks, by ORDER; returns the bytes that they take. */
int64_t place_all(struct placing *x, const int *order, enum plan_fit fit);

#endif
