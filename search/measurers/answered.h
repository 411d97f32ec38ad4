/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/answered.h - batches that were answered when they were submitted, until they are collected: of measurers
 * that need no machine. */
#ifndef HONE_SEARCH_MEASURERS_ANSWERED_H
#define HONE_SEARCH_MEASURERS_ANSWERED_H

#include "base/vec.h"
#include "search/measurers/measurer.h"

/* A batch, in an arena of its own. */
struct answered {
	struct arena *arena;
	struct trial *trials;
	int n;
	struct phases spent;
	int rc;			/* as of collect() */
	const char *why;	/* its message, where rc is not 0 */
};

struct answered_vec VEC(struct answered);	/* the oldest first */

/* Room for N answers. */
struct answered answered_new(int n);
/* Takes the oldest of V away: what collect() gives, results in A. SPENT (may be NULL) is given the seconds that it took. */
int answered_collect(struct answered_vec *v, struct arena *a, struct trial *results, struct phases *spent);
/* Forgets all. */
void answered_drop(struct answered_vec *v);

#endif
