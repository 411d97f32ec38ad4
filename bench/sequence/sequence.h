/* SPDX-License-Identifier: Apache-2.0 */
/* bench/sequence/sequence.h - the kernels of a model one after the other, timed.
 *
 * In:   a kernel for each task, the occurrences of the tasks in order.
 * Out:  how long each occurrence took, in many runs of all of them.
 * Holds: each occurrence has constants of its own, packed before; what one computes the next reads
 *        where it was written; they share a workspace; every run computes the same. */
#ifndef HONE_BENCH_SEQUENCE_SEQUENCE_H
#define HONE_BENCH_SEQUENCE_SEQUENCE_H

#include "runtime/kernel/kernel.h"
#include "bench/sequence/values.h"
#include "graph/task/task.h"
#include "search/task.h"

struct sequence_kernel {
	const struct task *task;
	bool there;		/* else occurrences of the task are left out */
	struct kernel kernel;
};

struct sequence_step {
	int task;
	const struct kernel *kernel;
	void **args;
};

struct memory_vec VEC(void *);

struct sequence {
	struct sequence_step *step;
	int n;
	struct value_plan plan;
	struct memory_vec buffers;	/* all of them; those of the plan come first */
	void *workspace;		/* one of them */
};

/* KERNELS by task, which must outlive it. In A, but for the buffers. */
struct sequence *sequence_new(struct arena *a, const struct sequence_kernel *kernels,
			      const struct occurrence_vec *order);
void sequence_free(struct sequence *s);

/* One run by one team, all kernels having as many threads; AT[0..n] is when it began and when each
 * step ended, in microseconds. */
void sequence_run(const struct sequence *s, double *at);

struct sequence_times {
	const double *us;	/* of step j in run i: us[i * steps + j] */
	int runs, steps;
};

/* Runs it for SECONDS, some times at least. */
void sequence_measure(struct arena *a, const struct sequence *s, double seconds,
		      struct sequence_times *out);
/* Over the runs, of the time that the steps marked in COUNTED (NULL: all) took together. */
double sequence_quantile(const struct sequence_times *t, const bool *counted, double q);

#endif
