/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/task_times.h - what tasks take on a device: by records, or as expected. */
#ifndef HONE_RUNTIME_TASK_TIMES_H
#define HONE_RUNTIME_TASK_TIMES_H

#include "db/db.h"
#include "graph/pass/costs.h"
#include "measure/device.h"

struct task_times {
	struct db *db;			/* NULL: no records */
	const struct device *device;
	struct db_calibration now;	/* of the device */
	int threads;
	struct kernel_costs costs;	/* set by task_times_costs */
	struct layout_choice images;	/* what was chosen by them, without its state; us is 0 where
					 * there was nothing to choose */
};

/* For passes; S outlives what is made with it. */
const struct kernel_costs *task_times_costs(struct task_times *s);

#endif
