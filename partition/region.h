/* SPDX-License-Identifier: Apache-2.0 */
/* partition/region.h - what is computed by the same generator, cut into regions that can be called.
 *
 * In:   a function, and for each of its values the generator that computes it.
 * Out:  regions: as few as levels allow, connected.
 * Holds: they are convex, and no two wait for each other. A level is one more than that of any operand
 *        which another computes, so a way that leaves a region never comes back to its level. */
#ifndef HONE_PARTITION_REGION_H
#define HONE_PARTITION_REGION_H

#include "graph/pass/flow.h"

enum { REGION_HOST = -1 };

struct call_region {
	int generator;
	int level;
	struct value_vec members;	/* ascending */
};

struct call_region_vec VEC(struct call_region);

struct call_regions {
	struct call_region_vec at;		/* by level, then by their first members */
	int *of;			/* by value: its region; REGION_HOST */
	int *level;			/* by value; those of parameters and constants are 0 */
	int levels;
};

/* GENERATOR: by value, REGION_HOST for what the host computes. UNIT: by value, the last member of the
 * claim that it is in, itself where it is in none: a unit is never cut. In A, in time nearly in proportion
 * to the function. */
struct call_regions regions_find(struct arena *a, const struct flow *flow, const int *generator,
			    const int *unit);

#endif
