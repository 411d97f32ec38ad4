/* SPDX-License-Identifier: Apache-2.0 */
/* search/aim.h - from a device to what a search needs of it. */
#ifndef HONE_SEARCH_AIM_H
#define HONE_SEARCH_AIM_H

#include "costmodel/aim.h"
#include "db/cache.h"
#include "measure/device/device.h"

/* Kernels of THREADS threads for D and its target, timed with caches as CACHE says; of use as long as D is. */
struct aim aim_of(const struct device *d, int threads, enum cache_state cache);

#endif
