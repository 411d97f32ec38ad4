/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/indices/cuts.h - where in the range of a loop conditions inside it change. */
#ifndef HONE_SCHEDULE_PASS_INDICES_CUTS_H
#define HONE_SCHEDULE_PASS_INDICES_CUTS_H

#include "schedule/nest.h"

/* Copies of a loop's body grow the code; past this bound conditions stay where they are. */
enum { MAX_CUTS = 8 };

/* Which conditions are looked at. */
enum cuts_of {
	CUTS_OF_ALL,
	CUTS_BUT_MASKS,		/* what can be a mask is not */
	CUTS_OF_LANES,		/* those alone that are around stores, differ from lane to lane, and can be no mask */
};

struct cuts {
	struct arena *a;
	const struct target *target;
	const struct axis *axis;
	struct inner_vec VEC(const struct axis *) inner;	/* bound on the way to the condition */
	const struct nest *body;	/* of the loop */
	enum cuts_of of;
	const struct axis *lanes;	/* of the vector around the condition; NULL: none */
	struct local_vec VEC(const struct buffer *) locals;	/* allocated inside, once asked for */
	bool knows_locals;
	int n;
	int64_t at[MAX_CUTS];
};

/* Adds the points at which conditions in the list N change. */
void cuts_find(struct cuts *c, const struct nest *n);
/* The node below LIST that has all the cuts while others beside it store: copies of it alone are enough.
 * NULL where there is none. */
struct nest **cuts_part(const struct cuts *c, struct nest **list);

#endif
