/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/beside.h - whether work on other cores shows in what is timed on these.
 *
 * In:   the cores, and something to do.
 * Out:  how much longer two fixed loops take while that is done: one that computes, one that reads
 *       memory beyond the caches. A few tenths of a second, and again, up to BESIDE_TRIES times, until the
 *       mean is no further off than what is to be found. */
#ifndef HONE_MEASURE_DEVICE_BESIDE_H
#define HONE_MEASURE_DEVICE_BESIDE_H

#include "measure/device/device.h"

/* What moves a time by more is not to be at work beside it: kernels nearer than that are told the SAME
 * (README.md, measuring well). */
#define BESIDE_MOST 0.02

/* A bound by what it costs: a try is 3 windows of 96 samples of two loops, each of 0.5 ms, which is 0.3 s; so
 * a machine that is never quiet delays a sitting by little over a second. */
enum { BESIDE_TRIES = 4 };

/* Shares by which times grow: 0.01 is a hundredth; less than 0 where they shrink, by chance. */
struct beside_effect {
	double compute, memory;
	double quiet;	/* by which these may be off: what times differ by before and after, with nothing beside */
};

enum beside_verdict {
	BESIDE_UNSEEN,	/* neither of them moves */
	BESIDE_SEEN,
	BESIDE_UNSURE,	/* with nothing beside they move by as much as was to be found */
};

/* Calls WORK in this thread, again and again, while another one, bound to the list CPUS, times the loops.
 * Of several tries the mean. -1 and a message where there is no memory to read,
 * or WORK has one. */
int beside_measure(const struct device *d, const char *cpus, int (*work)(void *user), void *user,
		   struct beside_effect *out);
enum beside_verdict beside_judge(const struct beside_effect *b);

#endif
