/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/register_kernels.h - how fast register tiles are on a device, their operands in its first cache.
 *
 * In:   measure/device/register_probe.h, which compiles and times them, or a description of a device.
 * Out:  a rate for any tile: that of the nearest which was measured.
 * Holds: rates are not negative; 0 stands for what was not measured. */
#ifndef HONE_COSTMODEL_REGISTER_KERNELS_H
#define HONE_COSTMODEL_REGISTER_KERNELS_H

#include "te/dtype.h"

enum register_kind {
#define X(id, ...) REGISTER_##id,
#include "costmodel/register_kind.def"
#undef X
	REGISTER_KIND_COUNT
};

/* The most of each that a tile is measured with. */
enum { REGISTER_ROWS = 30, REGISTER_VECTORS = 6 };

struct register_kernels {
	/* The median over all of them of the median time over the least: 1 is a quiet machine; 0: there is no table. */
	double spread;
	/* 1e9 operations a second of one thread, a product and its sum being two; by rows - 1, vectors - 1. */
	float gops[REGISTER_KIND_COUNT][REGISTER_ROWS][REGISTER_VECTORS];
};

/* The columns of costmodel/register_kind.def. */
struct register_products {
	const char *name;
	enum dtype a, b, sum;
	bool lanes;
};

const struct register_products *register_products(enum register_kind k);

/* The rate of a tile of ROWS by VECTORS, at least 1 of each: of those measured with the number of vectors that is
 * nearest, the one with the nearest number of rows; of two as near the lesser. 0 where K (NULL: none) has none of KIND. */
double register_rate(const struct register_kernels *k, enum register_kind kind, int64_t rows, int64_t vectors);

/* The greatest rate of KIND; 0: none. */
double register_best(const struct register_kernels *k, enum register_kind kind);

#endif
