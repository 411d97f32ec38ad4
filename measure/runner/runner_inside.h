/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_inside.h - the runner as its own files see it: measure/runner/runner.c and
 * measure/runner/remeasure.c. */
#ifndef HONE_MEASURE_RUNNER_RUNNER_INSIDE_H
#define HONE_MEASURE_RUNNER_RUNNER_INSIDE_H

#include "measure/runner/dialog.h"
#include "measure/runner/prepared.h"
#include "measure/runner/runner.h"

struct runner {
	struct arena *arena;		/* the runner's life */
	struct arena *task;		/* while it has this workload */
	struct runner_options options;	/* no zeros */
	struct pin *pin;
	const char *path;
	const char *cpus;
	struct prepared *workload;	/* NULL: none yet */
	struct kept_workloads *own;	/* earlier ones, where they are not to outlive it; else NULL */
	struct process process;
	double incumbent_us;	/* 0: unknown */
};

/* Names T's kernel in Q. */
void runner_name(struct request *q, const struct trial *t);
/* Makes sure of a process that has the task. As runner_set_workload(). */
int runner_ensure(struct runner *r);
/* What became of T. ANSWERED: E is the process's answer; TEXT what went wrong, NULL where nothing did. */
void runner_take(struct arena *a, struct trial *t, enum trial_status status,
		 const char *text, const struct event *e, bool answered);

#endif
