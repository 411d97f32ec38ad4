/* SPDX-License-Identifier: Apache-2.0 */
/* search/traffic.h - how long a task takes at least for what no cache can have. */
#ifndef HONE_SEARCH_TRAFFIC_H
#define HONE_SEARCH_TRAFFIC_H

#include "costmodel/aim.h"
#include "te/dag.h"

/* Microseconds in which AIM's memory, as it was probed, has read D's constants where they are cold, and what D reads and writes beyond the
 * last cache. 0: all of it may be there. */
double traffic_us(const struct dag *d, const struct aim *aim);

#endif
