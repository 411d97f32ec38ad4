/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/timing.h - how long a kernel takes, on a machine that has other things to do.
 *
 * In:   a kernel whose arguments are ready, the bounds of the effort.
 * Out:  samples at the nominal clock (measure/timing/sibling.h), and what the undisturbed ones usually come to.
 * Holds: a sample is the mean of as many runs as make it long against the clock's resolution, and
 *        one run where caches, or what the kernel has constant, are flushed before each, or images are handed on; one team takes them, as it takes the
 *        steps of a model, and waits for all its threads behind each. */
#ifndef HONE_MEASURE_TIMING_TIMING_H
#define HONE_MEASURE_TIMING_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/team.h"
#include "measure/runner/evict.h"
#include "measure/runner/flush.h"
#include "measure/timing/sibling.h"
#include "measure/timing/steal.h"

enum { SAMPLES_MAX = 256 };
/* A race, and a time that is no chance, need so many. */
enum { SERIES_LEAST = 3 };

/* What the samples of one trial wait for quiet moments, together: as long as somebody beside stays, mostly
 * (measure/timing/sibling.c), and a compiler takes as long for the next kernel. It is no time of the kernel's. */
#define TIMING_AWAIT_MS 500.0

/* A kernel with all that it is called with. */
struct timed {
	const struct callable *call;
	void *const *args;
	void *workspace;
	int threads;
	const struct evicted *evicted;	/* before each run; NULL: nothing */
	/* Taken in again by the threads before each run, a part each, as steps of a model hand it on; NULL: nothing. */
	const struct evicted *handed_on;
};

static inline void timed_run(struct timed k)
{
	callable_call(k.call, k.threads, k.args, k.workspace);
}

struct timing {
	double min_ms, max_ms;	/* time to spend on the samples of one kernel */
	int threads;		/* that the kernels use */
	struct flush *flush;	/* before each run; NULL: warm caches */
	struct sibling *sibling;	/* NULL: nobody looks who is beside, nor at the clock */
	double memory_us;		/* of a run, for what memory needs: it does not follow the clock */
};

/* A kernel whose first run takes longer has lost the race against LIMIT_US; 0: there is no race. */
double race_deadline_us(double limit_us);

/* Samples of one kernel as they come. */
struct series {
	struct timed kernel;
	int repeats;	/* runs per sample */
	int n;
	double us[SAMPLES_MAX];		/* at the nominal clock */
	double clock[SAMPLES_MAX];	/* in parts of that; 0: nobody looked */
	bool disturbed[SAMPLES_MAX];
	double slowdown[SAMPLES_MAX];	/* by who is beside, at least 1 */
	double waited_ms;		/* for a quiet moment */
	struct steal_watch steal;
};

struct timing_result {
	double time_us;		/* time_of_samples() */
	double clock;		/* the median; 0: nobody looked */
	int disturbed;
};

/* Runs the kernel a few times to choose the repeats; returns microseconds of one run, or -1 where
 * that was disturbed. */
double series_begin(struct series *s, const struct timing *t, struct timed kernel);
/* Runs the kernel until its data are back in the caches, where others have been there since; a single run does not
 * do it for what nearly fills the last one. Its next sample may wait anew. */
void series_warm(struct series *s, const struct timing *t);
/* One sample of the kernel; before, it waits for a moment in which the cores are its own, if not for long. */
void series_add(struct series *s, const struct timing *t);
/* Leaves out the samples that time was stolen from since the last look; series_add does so now and
 * then, and at the end of the samples it is due once more. */
void series_look(struct series *s);
/* Whether more samples would hardly say anything else. */
bool series_settled(const struct series *s);
/* Of N series that are taken in turn: the rounds in which none was disturbed. */
int series_good(const struct series *s, int n);
/* A sample counts for all of them or for none from here on, so that they can be paired. */
void series_join(struct series *s, int n);
void series_end(const struct series *s, struct timing_result *out);
/* A 1 for each sample that the time is taken from, a 0 for each other, and a NUL. */
void series_counted(const struct series *s, char out[SAMPLES_MAX + 1]);

/* The whole protocol for one kernel that was run before: begin, race, samples until the time is
 * used or the spread is small. False where it lost the race, slower than LIMIT_US (0: there is none); one that is hopeless by its
 * first run here is not run again. */
bool timing_measure(struct series *s, const struct timing *t, struct timed kernel, double limit_us);

/* What N samples usually come to, which it sorts: the middle of the third of them that are nearest to each other (docs/measuring.md). Of two
 * their mean; 0 where there are none. */
double time_of_samples(double *us, int n);

#endif
