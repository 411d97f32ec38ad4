/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/tile_speed.h - sizes of register tiles by what was measured of the device (costmodel/register_kernels.h).
 *
 * In:   a sample on its way, the step whose size is to be drawn.
 * Out:  for each size the rate that the tile can still have with it.
 * Holds: 1 for all sizes where nothing was measured, where the step is of no register tile, and where later rows decide. */
#ifndef HONE_SEARCH_SPACE_SAMPLING_TILE_SPEED_H
#define HONE_SEARCH_SPACE_SAMPLING_TILE_SPEED_H

#include "search/space/sampling/sampler.h"

struct tile_speed {
	const struct register_kernels *kernels;	/* NULL: 1 for all */
	enum register_kind kind;
	int64_t rows, vectors;	/* without the size */
	int64_t more_vectors;	/* that may still be drawn */
	bool along_rows;	/* the size is of rows */
};

/* For O, whose vectors have LANES. */
void tile_speed_begin(struct tile_speed *t, const struct sampler *p, const struct open_step *o, int64_t lanes);
/* Of a size of N rows or vectors, compared with others. */
double tile_speed(const struct tile_speed *t, int64_t n);

#endif
