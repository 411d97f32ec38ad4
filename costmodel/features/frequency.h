/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/frequency.h - how often what a store takes is done, where not in each of its turns. */
#ifndef HONE_COSTMODEL_FEATURES_FREQUENCY_H
#define HONE_COSTMODEL_FEATURES_FREQUENCY_H

#include "costmodel/features/site.h"

/* Of a buffer that loops have. */
struct lifetime {
	const struct buffer *buffer;
	double times;		/* allocated */
	int loops;		/* around that */
};

/* The loops of more than one turn that are open, outermost first, what variables say of them, and the buffers that they have. */
struct loops {
	struct site_loop at[SITE_MAX_LOOPS];
	int n;
	struct variables variables;
	struct lifetime_vec VEC(struct lifetime) lifetimes;
};

/* Of B, where open loops have it; NULL: it is an argument. */
const struct lifetime *lifetime_of(const struct loops *around, const struct buffer *b);

/* The share of turns in which E holds: exact where it compares one axis with a number, as what
 * the pass borders leaves behind does; an estimate otherwise. */
double share_of(const struct expr *e);
/* How often E is computed in a turn of the body: not at all where no loop of the body, nor the one around it, moves
 * it, once for all written-out turns that do not: a load that has a mask is one for all rows that it is added to. */
double executions(const struct loops *around, const struct expr *e);
/* In what share of the written-out turns a branch is left of CONDITION: it is a constant of those in which no turn of
 * the other loops changes it. */
double share_asked(const struct loops *around, const struct expr *condition);

#endif
