/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/access.h - what the loads and stores of one place touch, and how loops move them. */
#ifndef HONE_COSTMODEL_FEATURES_ACCESS_H
#define HONE_COSTMODEL_FEATURES_ACCESS_H

#include "costmodel/features/motion.h"
#include "schedule/nest.h"

enum { SITE_MAX_LOOPS = 64 };	/* bits of access.moves */

/* What an access touches in one execution of a level. */
struct footprint {
	double elements;
	double lines;
	double bytes;		/* of the lines, in caches; 0 in registers, and of what goes past them */
};

/* How the lanes of a vector loop access something. */
enum lanes {
	LANES_SAME,
	LANES_UNIT,	/* side by side */
	LANES_NEAR,	/* read, and picked out of whole vectors */
	LANES_HALVES,	/* of two places, each half side by side or the same */
	LANES_ACROSS,	/* side by side from turn to turn of the loop around, with which they are transposed */
	LANES_APART,
};

struct access {
	const struct buffer *buffer;
	bool packed;
	bool reads, writes;
	bool streams;		/* it is stored past the caches */
	int n;			/* loads and stores that it stands for */
	uint64_t moves;		/* bit L: loop L moves it */
	enum lanes lanes;	/* where the site has a vector loop */
	double grouped;		/* elements that an intrinsic takes for a lane; 1 of what is no operand of one */
	struct motion *dim;	/* of each dim of the buffer */
	int64_t *top;		/* of each dim: greatest constant; motion.constant is the least */
	struct footprint *at;	/* by level, n_loops + 1 of them */
};

static inline bool access_moves(const struct access *x, int loop)
{
	return (x->moves >> loop & 1) != 0;
}

/* Derives moves and the footprints by level of an access with N loops; INSIDE as in site. */
void access_finish(struct arena *a, struct access *x, int n_loops, const double *inside);
/* Different places in one execution of LEVEL, those that conditions leave out among them, with a turn of loop BUT alone (-1: of all): where
 * vectors begin, if that goes over their lanes. */
double access_places(const struct access *x, int level, int but);
/* Elements from one turn of LOOP to the next; negative values are made positive. */
int64_t access_stride(const struct access *x, int loop);

#endif
