/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/speed_limit.h - what no right kernel can be faster than on a machine.
 *
 * A time below it is a mistake: of the clock, of the reference, or of a compiler that found a way
 * to compute nothing. Only work that cannot be left out is counted: operations of outputs, and of
 * what these read in full, where no other algorithm takes fewer; bytes of outputs, and of inputs that
 * are read in full.
 */
#ifndef HONE_SEARCH_TRUST_SPEED_LIMIT_H
#define HONE_SEARCH_TRUST_SPEED_LIMIT_H

#include "measure/device/device.h"
#include "te/dag.h"

/* Beyond the probed rates, which are those of a machine with other things to do: hone doctor saw
 * a fixed kernel vary by a factor of 5 on a loaded one, and 3 at its median. */
#define SPEED_LIMIT_MARGIN 3.0

/* Microseconds; 0 where nothing can be said, because the device was not probed. */
double speed_limit_us(const struct dag *d, const struct device *device, int threads);

#endif
