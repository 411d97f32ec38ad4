/* SPDX-License-Identifier: Apache-2.0 */
/* partition/piece.h - regions cut where they are beyond what their generators take at once.
 *
 * In:   regions, and the limits of each generator.
 * Out:  pieces, regions themselves, in an order in which they can run; they need not be connected.
 * Holds: a unit is in one piece. Units are taken in the order of their last members, and what a unit reads
 *        comes before its own last member: so no piece waits for a later one, and each is convex. */
#ifndef HONE_PARTITION_PIECE_H
#define HONE_PARTITION_PIECE_H

#include "include/hone_generator.h"
#include "partition/region.h"

/* Of one region; 0: any number. */
struct piece_limit {
	int calls;
	size_t bytes;		/* of its tensors, constants too */
};

struct piece_limit piece_limit_of(const struct hone_generator *g);

/* What a piece comes to, while calls are added to it. */
struct piece_meter {
	const struct function *function;
	int *seen;		/* by value: the last piece that it is a tensor of */
	int piece;
	int calls;
	size_t bytes;
};

struct piece_meter piece_meter_new(struct arena *a, const struct function *f);
void piece_begin(struct piece_meter *m);
/* The call VALUE, with its operands. */
void piece_add(struct piece_meter *m, int value);
/* Why that is beyond LIMIT, in A; NULL: it is not. */
const char *piece_excess(struct arena *a, const struct piece_meter *m, struct piece_limit limit);

/* Cuts REGIONS of F, whose order stays; LIMITS by generator, UNIT as regions_find() has it. A unit that is
 * beyond a limit is a piece of its own. In A. */
void regions_cut(struct arena *a, const struct function *f, struct call_regions *regions, const int *unit,
		 const struct piece_limit *limits);

#endif
