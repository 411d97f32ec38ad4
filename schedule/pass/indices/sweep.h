/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/indices/sweep.h - the lines of memory that loops go over.
 *
 * In:   where an element is, flat, linear in the axes of loops.
 * Out:  where those lines begin, as a few strides.
 * Holds: each element that the loops reach is on one of them, if the first begins a line; few are named twice or in vain. */
#ifndef HONE_SCHEDULE_PASS_INDICES_SWEEP_H
#define HONE_SCHEDULE_PASS_INDICES_SWEEP_H

#include "te/index/index.h"

enum { SWEEP_MAX = 24 };	/* loops; the deepest kernels have as many */

/* So many places, a stride apart, in elements. */
struct line_run {
	int64_t stride, count;
};

struct lines {
	struct linear at;	/* the first */
	struct line_run run[SWEEP_MAX + 1];	/* from the least stride on; the first is over lines side by side */
	int n;
};

/* From where L->at says that an element is to the lines, of so many elements, that all turns of N loops over AXES reach,
 * which are no part of L->at then. */
void lines_sweep(struct lines *l, const struct axis *const *axes, int n, int64_t line);
/* Leaves out what turns that go on by MOVE elements have had in the turn before. */
void lines_leave(struct lines *l, int64_t move);
int64_t lines_count(const struct lines *l);
/* Are X and Y the same, up to what is less than a line? */
bool lines_equal(const struct lines *x, const struct lines *y, int64_t line);

#endif
