/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/location.h - the loops that a stage may be computed in. */
#ifndef HONE_SEARCH_SPACE_SAMPLING_LOCATION_H
#define HONE_SEARCH_SPACE_SAMPLING_LOCATION_H

#include "base/rng.h"
#include "search/space/genes/genes.h"

struct location {
	int stage, iter;
};

enum { MAX_LOCATIONS = 64 };

/* The loops around the statement of stage AT of S, those that it is attached to last; at most MAX_LOCATIONS.
 * How many. */
int locations_around(const struct state *s, int at, struct location *out);
/* Decides where the stage of G's step is computed, as ROLE, LOCATION or STRIP, allows: in a loop around its reader,
 * which the step names, or at the root. S is then the state behind it. */
void location_draw(struct arena *a, struct state **s, struct gene *g, enum role role, const struct aim *aim,
		   struct rng *rng);
/* The same in the loop that G was decided for, or at the root where that is not there or not allowed any more. */
void location_follow(struct arena *a, struct state **s, struct gene *g, enum role role, const struct aim *aim);

#endif
