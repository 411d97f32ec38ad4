/* SPDX-License-Identifier: Apache-2.0 */
/* search/expect.h - what a kernel that nobody made yet can be expected to take. */
#ifndef HONE_SEARCH_EXPECT_H
#define HONE_SEARCH_EXPECT_H

#include "measure/device/device.h"
#include "search/task.h"

/* Beside records, what is only expected has to promise so much more to be believed: a tuned kernel of
 * one storage is not given up for an untried one of another. */
#define EXPECT_DOUBT 2.0

/* Of a task that no schedule makes a kernel of: longer than any model, and finite, for sums are
 * compared. */
#define EXPECT_NOTHING_US 1e9

/* Microseconds: a roofline of T's operations, at a share of the device's peak that vectors along the
 * last dim of the result fill, and of its bytes; or more where the analytic prior says so of the best
 * of a few schedules. It is there to compare storages of the same operator; it is no measurement.
 * Finite; 0 where the device was not probed. */
double expect_us(const struct task *t, const struct device *device, int threads);

/* Microseconds: the most that two kernels may take for the BYTES of an image that the one stores and the other
 * reads, by the rate of the device's memory; 0 where each core's share stays in its second-level cache, from which
 * nothing was gained (docs/performance.md), or where the device was not probed. */
double expect_passing_us(int64_t bytes, const struct device *device, int threads);

#endif
