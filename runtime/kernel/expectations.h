/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/expectations.h - what kernels that nobody made are expected to take, kept from run to run: a
 * model has hundreds of storages, each takes some 10 ms to price, and the figures are the same each time.
 *
 * Holds: one that is kept is found only for the same task, threads, rates and caches of the device, and
 *        build of hone. */
#ifndef HONE_RUNTIME_KERNEL_EXPECTATIONS_H
#define HONE_RUNTIME_KERNEL_EXPECTATIONS_H

#include "graph/task/task.h"
#include "measure/device/device.h"

/* expect_us() of each of N TASKS, which have DAGs, for THREADS threads of D, in US; those that are not
 * kept are computed side by side. */
void expectations_get(const struct model_task *const *tasks, int n, const struct device *d, int threads,
		      double *us);

#endif
