/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/beside.h - whether work on other cores shows in what is timed on these.
 *
 * In:   the cores, and something to do.
 * Out:  how much longer two fixed loops take while that is done: one that computes, one that reads
 *       memory beyond the caches. A few tenths of a second. */
#ifndef HONE_MEASURE_DEVICE_BESIDE_H
#define HONE_MEASURE_DEVICE_BESIDE_H

#include "measure/device/device.h"

/* What moves a time by more is not to be at work beside it: kernels nearer than that are told the SAME
 * (README.md, measuring well). */
#define BESIDE_MOST 0.02

/* Shares by which times grow: 0.01 is a hundredth; less than 0 where they shrink, by chance. */
struct beside_effect {
	double compute, memory;
};

/* Calls WORK in this thread, again and again, while another one, bound to the list CPUS, times the loops.
 * -1 and a message where there is no memory to read, or WORK has one. */
int beside_measure(const struct device *d, const char *cpus, int (*work)(void *user), void *user,
		   struct beside_effect *out);
/* Whether either of them moved. */
bool beside_shows(const struct beside_effect *b);

#endif
