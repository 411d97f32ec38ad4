/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/sampler.h - what the files share that fill a sketch. */
#ifndef HONE_SEARCH_SPACE_SAMPLING_SAMPLER_H
#define HONE_SEARCH_SPACE_SAMPLING_SAMPLER_H

#include "base/rng.h"
#include "search/aim.h"
#include "search/space/genes/genes.h"

/* What the sizes of a tile multiply to. */
struct tile_use {
	int64_t vectors;	/* of its accumulators */
	int64_t side;		/* of these, side by side along the dim of the lanes */
	int64_t vthreads;	/* that go through it side by side */
	int64_t unrolled;	/* statements of its reduction that are written out */
};

/* A sample on its way. */
struct sampler {
	struct arena *a;
	struct state *s;
	const struct sketch *sketch;
	const struct aim *aim;
	struct rng *rng;
	int tiled;		/* the stage whose loops make the tile; -1: none yet */
	struct tile_use taken;	/* of it, so far */
	struct tile_use behind;	/* what decisions to follow will take, of the size that is drawn: that leaves it room */
	int64_t copies;		/* of it, for edges */
	int64_t kinds;		/* of its terms, for turns that compute something else */
	const struct genes *from;	/* decisions to follow; NULL: none */
	struct genes *out;
};

/* search/space/sampling/size.c: sizes of tiles, so that registers and a kernel's text hold them. */

/* The tile of O, if it is a step of one, is of this stage: registers hold one at a time, which has all of them. */
void size_begin(struct sampler *p, const struct open_step *o);
/* A size for the split O of the sketch, which leaves room for those that are to be followed. */
int64_t size_pick(struct sampler *p, const struct open_step *o);
/* SIZE, picked or decided before, counts. False where it is too much. */
bool size_take(struct sampler *p, const struct open_step *o, int64_t size);
/* May the tile be written TIMES as often as it is so far? */
bool size_fits(const struct sampler *p, int64_t times);
/* Borders become loops of their own: about so many copies of a stage's body are written. */
int size_variants(const struct sampler *p, int stage);

#endif
