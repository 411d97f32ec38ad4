/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/location.h - the loops that a stage may be computed in. */
#ifndef HONE_SEARCH_SPACE_LOCATION_H
#define HONE_SEARCH_SPACE_LOCATION_H

#include "schedule/state.h"

struct location {
	int stage, iter;
};

enum { MAX_LOCATIONS = 64 };

/* The loops around the statement of stage AT of S, those that it is attached to last; at most MAX_LOCATIONS.
 * How many. */
int locations_around(const struct state *s, int at, struct location *out);
/* STEP, which computes a stage somewhere, with loop AT; S is then the state behind it. False, with S as it
 * was, where that is not legal or makes local buffers of more than MOST bytes in all. */
bool location_take(struct arena *a, struct state **s, struct step *step, struct location at,
		   size_t most);

#endif
