/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/beside.h - whether work on other cores shows in what is timed on these.
 *
 * In:   the cores, and something to do.
 * Out:  how much longer two fixed loops take while that is done: one that computes, one that reads
 *       memory beyond the caches. Work and rest in turns, each a tenth of a second or so, for what a machine
 *       drifts by in between is less than what it drifts by in seconds; until the effect is known well
 *       enough, or it is plain that BESIDE_TURNS of them would not tell. */
#ifndef HONE_MEASURE_DEVICE_BESIDE_H
#define HONE_MEASURE_DEVICE_BESIDE_H

#include "measure/device/device.h"

/* What moves a time by more is not to be at work beside it: kernels nearer than that are told the SAME
 * (README.md, measuring well). */
#define BESIDE_MOST 0.02

/* A bound by what it costs: a turn is 0.1 to 0.3 s; twelve are some 3 s, and a machine that is far from quiet is told from five. */
enum { BESIDE_TURNS = 12 };

/* Shares by which times grow: 0.01 is a hundredth; less than 0 where they shrink, by chance. */
struct beside_effect {
	double compute, memory;
	double quiet;	/* by which these may be off: two standard errors of the medians over the turns */
};

enum beside_verdict {
	BESIDE_UNSEEN,	/* neither of them moves */
	BESIDE_SEEN,
	BESIDE_UNSURE,	/* they move by as much by themselves */
};

/* Calls WORK in this thread, now and then, while another one, bound to the list CPUS, times the loops. -1 and a
 * message where there is no memory to read, or WORK has one. */
int beside_measure(const struct device *d, const char *cpus, int (*work)(void *user), void *user,
		   struct beside_effect *out);
enum beside_verdict beside_judge(const struct beside_effect *b);

/* What was seen of D's cores CPUS in the last hours, *MINUTES ago, and is no matter of doubt; false where there is
 * nothing. */
bool beside_recall(const struct device *d, const char *cpus, struct beside_effect *out, int *minutes);
/* Keeps what was seen, if it says something. What cannot be written is no error. */
void beside_keep(const struct device *d, const char *cpus, const struct beside_effect *seen);
/* Of all devices. */
void beside_forget(void);
/* Where it is kept, in A; NULL: nowhere. */
const char *beside_place(struct arena *a, const struct device *d, const char *cpus);

#endif
