/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/measurer.h - what answers how fast kernels are: this machine, or a recording.
 *
 * In:   batches of jobs, which are texts.
 * Out:  the results of each batch, in the order in which they came: status, samples, times.
 * Holds: a kernel that fails is an answer; -1 and a message mean that the outside world fails and there
 *        is none. Nothing is shared: jobs are copied, and results are the caller's. */
#ifndef HONE_SEARCH_MEASURERS_MEASURER_H
#define HONE_SEARCH_MEASURERS_MEASURER_H

#include <signal.h>

#include "base/tell.h"
#include "measure/trial.h"
#include "search/task.h"

/* Seconds of wall time that measuring took, by what they went into: each second once. */
struct phases {
	double build;		/* while nothing ran: what is built beside measuring costs none */
	double run, verify;
	double wait;	/* for the device, or for it to come to rest */
	double beside;	/* in none of these: what was built while others of these went on */
};

/* A kernel to measure. */
struct job {
	const char *steps;	/* its identity: the text of its steps */
	const char *source;	/* its C text; NULL where only those that were measured are asked for */
	/* The path of its shared object with TRIAL_SYMBOL, which the measurer removes, where another compiler than the
	 * measurer's is to have built it; else NULL. */
	const char *object;
};

/* Jobs that are measured one after the other. */
struct job_batch {
	const struct task *task;	/* lives until the batch is collected */
	double incumbent_us;	/* where the task stands, as far as is known; 0: nowhere */
	bool again;		/* they ran before: in turn, and without a race */
	const struct job *jobs;
	int n;			/* at least 1 */
};

/* Batches that a measurer takes before the first of them is collected. */
enum { MEASURER_AHEAD = 2 };

struct measurer {
	const char *toolchain;	/* compiler, version and flags, for the records */
	/* As of the last batch that was collected: */
	struct phases spent;	/* since it was made */
	double disturbed_s;	/* for so long others have used the device by now; 0: none do */
	int batch;		/* candidates that a round has where nobody says; 0: TUNER_BATCH */
	/* Measuring again tells more: its answers are not those of an earlier measurement. */
	bool confirms;
	/* Takes a batch and returns, while it is measured where that can be done beside. -1 and a
	 * message, and then the batch is not taken. */
	int (*submit)(struct measurer *m, const struct job_batch *b);
	/* Waits for the oldest batch that was submitted. RESULTS has room for each of its jobs, in their
	 * order; what they point to is in A, and they have no object. 0; 1 where nothing can be measured
	 * of the batch's task, and the message says why; -1 and a message. But for 0, results are
	 * PENDING. */
	int (*collect)(struct measurer *m, struct arena *a, struct trial *results);
	/* Forgets batches that were not collected. */
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
	struct kept_workloads *kept;	/* of measurers before it and behind (measure/runner/runner.h); NULL: its own */
	const volatile sig_atomic_t *stop;	/* 1: no more waiting for calm; may be NULL */
	struct listener listener;	/* of why measuring waits, and whether building does */
};

/* Compilers, and a runner on this machine. NULL and a message where one of them is missing. */
struct measurer *measurer_hardware(const struct hardware_options *o);

#endif
