/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/measurer.h - what answers how fast candidates are: this machine, or a recording.
 *
 * In:   candidates with steps, program and C text.
 * Out:  their trials' status, samples, times.
 * Holds: a candidate that fails is an answer; -1 and a message mean that the outside world fails and
 *        there is no answer: the trials not reached stay PENDING. */
#ifndef HONE_SEARCH_MEASURERS_MEASURER_H
#define HONE_SEARCH_MEASURERS_MEASURER_H

#include <signal.h>

#include "base/tell.h"
#include "search/space/candidate.h"

/* Seconds of wall time that measuring took, by what they went into. */
struct phases {
	double build, run, verify;
	double wait;	/* for the device, or for it to come to rest */
};

struct measurer {
	const char *toolchain;	/* compiler, version and flags, for the records */
	struct phases spent;	/* since it was made */
	double disturbed_s;	/* for so long others have used the device by now; 0: none do */
	/* Begins T. INCUMBENT is where it stands, none where its time is 0. 0; 1 where T is such that
	 * nothing can be measured of it, and the message says why; -1 and a message. */
	int (*begin)(struct measurer *m, const struct task *t, double incumbent_us);
	int (*measure)(struct measurer *m, struct arena *a, struct candidate *c, int n);
	/* Measures N that ran before again, in turn and without a race; NULL where its answers are
	 * those of an earlier measurement, so that nothing is gained by asking again. */
	int (*confirm)(struct measurer *m, struct arena *a, struct candidate *c, int n);
	void (*free)(struct measurer *m);
};

struct hardware_options {
	const char *cc;		/* NULL: the builder's own choice */
	const char *cpus;	/* to measure on; NULL: the runner's own choice */
	double limit_s;		/* for one kernel; 0: the runner's own choice */
	int threads;		/* of the kernels */
	enum cache_state cache;
	const struct device *device;	/* probed: no time may exceed its rates, and its caches are
					 * flushed for CACHE_COLD */
	uint64_t seed;		/* of the inputs */
	struct listener listener;	/* of why measuring waits */
};

/* Compilers, and a runner on this machine. NULL and a message where one of them is missing. */
struct measurer *measurer_hardware(const struct hardware_options *o);

#endif
