/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/mask.h - conditions on the lanes of a vector that hold from one lane on up to another.
 *
 * In:   a condition, and the axis whose values are the lanes.
 * Out:  the first value for which it holds, the first behind them, and what holds for all or none: without the axis.
 * Holds: what is masked touches memory in lanes of the mask alone. */
#ifndef HONE_SCHEDULE_MASK_H
#define HONE_SCHEDULE_MASK_H

#include "schedule/nest.h"

/* The values lo <= v < hi of an axis, none where hi <= lo; and none at all unless `when` holds. */
struct mask {
	const struct expr *lo, *hi;
	const struct expr *when;	/* the same for all lanes; NULL: always */
};

/* Where COND, a conjunction of comparisons of indices, holds; false where that is not one run of values. */
bool mask_of(struct arena *a, const struct expr *cond, const struct axis *axis, struct mask *out);
/* Where select X takes its first value, as one vector under a mask of TARGET's; false where it has to be chosen
 * lane by lane: its other value must not read, its first only lanes side by side or nearly so. */
bool mask_of_select(struct arena *a, const struct target *target, const struct expr *x,
		    const struct axis *axis, struct mask *out);
/* Where the stores in N, an IF around nothing else, are done, as vectors under a mask of TARGET's. */
bool mask_of_branch(struct arena *a, const struct target *target, const struct nest *n,
		    const struct axis *axis, struct mask *out);
/* Can all conditions on AXIS in LIST, the body of its vector loop, be masks on TARGET? Then the loop need not be
 * split for them. */
bool mask_serves(struct arena *a, const struct target *target, const struct nest *list,
		 const struct axis *axis);
/* Has an element of type T loads and stores under a mask, where a target has any? */
bool mask_takes(enum dtype t);
/* Has each row of what store N writes room for LANES lanes from turn AT of AXIS on? Then the last of them need no
 * mask. */
bool mask_has_room(struct arena *a, const struct nest *n, const struct axis *axis, int64_t at,
		   int lanes);
/* May stores to B be under a mask? What is read right behind a masked store waits until that is in the cache: local
 * buffers are written in pieces instead (docs/performance.md). */
bool mask_may_store(const struct buffer *b);
/* May a vector that reads each STRIDE-th element of T read on beyond its turns? Intermediates have room there. */
bool mask_is_needless(const struct tensor *t, int64_t stride);

#endif
