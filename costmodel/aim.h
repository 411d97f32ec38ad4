/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/aim.h - what a campaign tunes for: a target, and what was measured of a device with it. */
#ifndef HONE_COSTMODEL_AIM_H
#define HONE_COSTMODEL_AIM_H

#include "costmodel/register_kernels.h"
#include "target/target.h"

/* All numbers are positive but those of the third level and half_peak. */
struct aim {
	const struct target *target;
	int threads;		/* that the kernel may use */
	bool exact;		/* it is to compute sums as they are written, in any order */
	bool cold_weights;	/* constants come from memory each time */
	double l1_bytes, l2_bytes;	/* that one core can use */
	double l3_bytes;	/* 0: none */
	double peak;		/* GFLOP/s of one thread, f32 multiply-add, with the target's code */
	double half_peak;	/* the same with vectors of half as many bytes; 0: not known */
	double l2_gbs;		/* reading, of one thread */
	double l3_gbs;		/* reading, of all `threads`; 0: there is no third level */
	double mem_gbs;		/* reading, of all `threads` */
	const struct register_kernels *kernels;	/* of the target, measured; NULL: there are none */
};

/* Bytes of the last cache that there is. */
static inline double aim_last_cache(const struct aim *aim)
{
	return aim->l3_bytes > aim->l2_bytes ? aim->l3_bytes : aim->l2_bytes;
}

#endif
