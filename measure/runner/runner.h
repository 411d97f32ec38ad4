/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner.h - verifies and times candidates in a process of their own, hone-runner.
 *
 * In:   a workload, trials with an object.
 * Out:  the trials' status, text, samples.
 * Holds: whatever a kernel does, the next one is measured as if it had not been. The process has
 *        the inputs, poisoned outputs between guard pages, limits on memory and time, cores of its
 *        own; it is replaced when a kernel has ended it, and dies with the thread that made it. */
#ifndef HONE_MEASURE_RUNNER_RUNNER_H
#define HONE_MEASURE_RUNNER_RUNNER_H

#include <sys/types.h>

#include "base/arena.h"
#include "measure/build/builder.h"
#include "measure/timing/pin.h"
#include "measure/trial.h"
#include "measure/runner/workload.h"

/* Workloads with what was computed for them, which runners of one process take from each other, one after the other: those of the same
 * cache states and seeds, whatever their threads. */
struct kept_workloads;

struct kept_workloads *kept_workloads_new(void);
void kept_workloads_free(struct kept_workloads *kept);	/* NULL is allowed */

struct runner_options {
	const char *path;	/* hone-runner; NULL: $HONE_RUNNER, or beside hone, or installed */
	const char *cpus;	/* to run on, as "2-3,6"; NULL: the last cores allowed */
	double limit_s;		/* for one kernel, counted from its start; 0: 10 */
	double reference_limit_s;	/* for inputs and reference outputs; 0: 300 */
	size_t memory;		/* bytes a kernel may allocate; 0: 4 GiB */
	struct kept_workloads *kept;	/* outlives it; NULL: its own */
	double race_factor;	/* lost above so many incumbents; 0: 1.5; < 0: no race */
};

struct runner;

/* NULL and a message where hone-runner is not found or the cores are not there. */
struct runner *runner_new(const struct runner_options *o);
void runner_free(struct runner *r);

/* Begins a task: compiles the reference with B, starts a process, computes inputs and reference
 * outputs once. Forgets the incumbent. W is copied. 0; 1 where it is W that
 * cannot be had (its reference does not compile, crashes, gives NaN, takes too much), and the message
 * says why; -1 and a message where the outside world fails. But for 0 there is no workload. */
int runner_set_workload(struct runner *r, struct build_pool *b, const struct workload *w);
/* The workload is kept under KEY when another one begins, with what was computed for it, as long as there is room. */
void runner_keep(struct runner *r, const char *key);
/* Goes back to the one kept under KEY, for kernels of THREADS threads, without its incumbent. False where there is none (any more): then
 * nothing changes. */
bool runner_resume(struct runner *r, const char *key, int threads);
/* What SET's inputs are and what the reference has for the outputs, and the bounds of these, by
 * argument. They live until the next workload. -1 and a message where they cannot be mapped. */
int runner_look(struct runner *r, enum input_set set, const void **data, const void **bound);
/* The time to race against, where one is known from before; 0: none. measure_all keeps it up to
 * date. */
void runner_set_incumbent(struct runner *r, double time_us);

/* Measures, in order, the PENDING trials that have an object; text and samples in A. 0, or -1 and
 * a message where the outside world fails: the trials not reached stay PENDING. */
int measure_all(struct arena *a, struct runner *r, struct trial *trials, int n);
/* Somebody beside may stay for longer than a trial waits, and be gone a second later: those of N measured trials that were
 * never alone are measured once more, as long as that is not in vain. As measure_all(). */
int measure_again(struct arena *a, struct runner *r, struct trial *trials, int n);
/* Measures N trials with objects again, in turn, ROUNDS undisturbed samples each, or as many as come of
 * three times as many; at most 64. Status, samples and times are replaced; no race. */
int remeasure(struct arena *a, struct runner *r, struct trial *trials, int n, int rounds);

/* Cores the runner is pinned to, as a list; lives until the next runner_set_workload. */
const char *runner_cpus(const struct runner *r);
/* The cores that kernels of THREADS threads are measured on, and those that this leaves. As pin_shares(). */
int runner_shares(struct arena *a, const struct runner *r, int threads, struct pin_shares *out);
/* Its process; 0 while there is none. */
pid_t runner_pid(const struct runner *r);

#endif
