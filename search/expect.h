/* SPDX-License-Identifier: Apache-2.0 */
/* search/expect.h - what a kernel that nobody made yet can be expected to take. */
#ifndef HONE_SEARCH_EXPECT_H
#define HONE_SEARCH_EXPECT_H

#include "measure/device.h"
#include "te/dag.h"

/* Microseconds: D's operations at a share of the device's peak, that vectors along the last dim of
 * the result fill, or its arguments at the rate of memory, whichever takes longer. It is there to
 * compare storages of the same operator; it is no measurement. 0 where the device was not probed. */
double expect_us(const struct dag *d, const struct device *device, int threads);

#endif
