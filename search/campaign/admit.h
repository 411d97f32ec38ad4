/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/admit.h - whether a task can be tuned on a machine at all, before minutes go into finding
 * out: its reference has to be computed once, by plain loops, and its arguments fit the memory. */
#ifndef HONE_SEARCH_CAMPAIGN_ADMIT_H
#define HONE_SEARCH_CAMPAIGN_ADMIT_H

#include "search/task.h"

/* What a task costs before its first candidate is measured. */
struct task_cost {
	double work;		/* evaluations of loop bodies and operations in them, of all ops */
	double arguments;	/* bytes of inputs, constants and outputs */
	double temporaries;	/* bytes of what lies between them */
	double reference_s;	/* WORK at ADMIT_RATE */
	int ops;		/* that compute */
};

/* Operations a second of a reference: one thread, plain loops, what a compiler makes of them. Of
 * the operators of bench/suites/operators.tasks the slowest ones reach it. */
#define ADMIT_RATE 1e9

struct task_cost task_cost(const struct task *t);
/* 0 where the task can be tuned with MEMORY bytes; -1 and a message that tells what it would cost
 * and what to do. */
int task_admit(const struct task *t, double memory);

#endif
