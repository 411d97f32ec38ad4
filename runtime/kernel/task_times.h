/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/task_times.h - what tasks take on a device: by records, or as expected; with generators, by
 * whoever is to compute them. */
#ifndef HONE_RUNTIME_KERNEL_TASK_TIMES_H
#define HONE_RUNTIME_KERNEL_TASK_TIMES_H

#include "db/db.h"
#include "graph/pass/costs.h"
#include "runtime/offload/offers.h"

struct task_times {
	struct db *db;			/* NULL: no records */
	const struct device *device;
	struct db_calibration now;	/* of the device */
	int threads;
	bool exact;			/* of kernels that derive no other algorithm */
	const struct offers *offers;	/* NULL: no generator */
	struct kernel_costs costs;	/* set by task_times_costs */
	struct layout_choice images;	/* what was chosen by them, without its state; us is 0 where
					 * there was nothing to choose */
};

/* What each of TASKS takes hone, us, in A: by records, else as expected of the first EXPECTED of them, 0 of
 * others. NULL and a message. */
double *task_times_of_host(const struct task_times *s, struct arena *a, const struct model_task_vec *tasks,
			   int expected);

/* For passes; S outlives what is made with it. */
const struct kernel_costs *task_times_costs(struct task_times *s);

#endif
