/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/motion.h - how an index moves with the loops around it. */
#ifndef HONE_COSTMODEL_FEATURES_MOTION_H
#define HONE_COSTMODEL_FEATURES_MOTION_H

#include <string.h>

#include "base/vec.h"
#include "te/expr.h"

enum { MOTION_MAX_TERMS = 12 };	/* of one index; more loops than that never move it */

/* How an index moves: turning loop LOOP, it takes COUNT values STEP apart. */
struct motion_term {
	int loop;
	int64_t step, count;
};

/* Of distinct loops; by rising step where it is complete. */
struct motion {
	int64_t constant;
	int n;
	struct motion_term at[MOTION_MAX_TERMS];
};

/* The loops, and lets with the motion of their values, that are open; innermost last. */
struct variable {
	const struct axis *axis;
	int loop;			/* its number; -1 where let says how it moves */
	const struct motion *let;	/* NULL: a loop of one turn */
};

struct variables VEC(struct variable);

/* The innermost that is called AXIS; NULL: none is open. */
const struct variable *variable_of(const struct variables *v, const struct axis *axis);

/* Terms are not touched: a motion is made for every index of every candidate. */
static inline void motion_clear(struct motion *m)
{
	m->constant = 0;
	m->n = 0;
}

static inline void motion_copy(struct motion *to, const struct motion *from)
{
	memcpy(to, from, offsetof(struct motion, at) + (size_t)from->n * sizeof(*from->at));
}

/* m += factor * e. */
void motion_add(const struct variables *v, struct motion *m, const struct expr *e, int64_t factor);
/* m += T, where there is room. */
void motion_add_term(struct motion *m, struct motion_term t);
bool motion_equal(const struct motion *x, const struct motion *y);
/* By rising step, all steps positive. */
void motion_sort(struct motion *m);

#endif
