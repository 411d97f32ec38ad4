/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/packing/fill_pack.h - what a pack does to give each turn of the loops around a load an element of its own. */
#ifndef HONE_SCHEDULE_PASS_PACKING_FILL_PACK_H
#define HONE_SCHEDULE_PASS_PACKING_FILL_PACK_H

#include "schedule/nest.h"

/* An expression of an axis, all that an index looks at of it, and the variable that stands for it. */
struct part_read {
	const struct expr *part;
	const struct axis *seen;
};

/* How a buffer is read, and inside what. */
struct way_read {
	struct arena *a;
	struct buffer *buffer;
	struct nest_list VEC(const struct nest *) open;	/* loops and lets around this place, outermost first */
	const struct axis *group;	/* of them: an intrinsic reads its turns side by side; NULL: none */
	const struct axis *lanes;	/* of the vector around this place; NULL: none */
	struct axis_list loops;	/* those that move the index, or what is seen of them */
	struct part_read_vec VEC(struct part_read) parts;
	int64_t turns;		/* of these together */
	const struct expr *place;	/* of the element among these turns */
	const struct expr *const *first;	/* the index as it was found; NULL: no load was yet */
	const struct expr *const *index;	/* the same, by loops in the place of lets; for a pack: by what is seen of them */
	bool differs;			/* another load has another index */
};

/* K, which computes R's buffer or has it as it is, stores what is read in each turn to K->packed. */
void fill_pack(struct pack *k, const struct way_read *r);

#endif
