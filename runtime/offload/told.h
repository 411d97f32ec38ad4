/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/told.h - what generators tell of a model's time, which no clock can.
 *
 * In:   a model that was opened, and has its code.
 * Out:  the time that a run of it takes the devices of those that tell.
 * Holds: of such a kernel or region what it took on this machine's clock is in no time that is told of the model:
 *        a run takes what it took but for these, and what they tell. */
#ifndef HONE_RUNTIME_OFFLOAD_TOLD_H
#define HONE_RUNTIME_OFFLOAD_TOLD_H

#include "runtime/open.h"

struct hone_cost cost_add(struct hone_cost x, struct hone_cost y);
struct hone_cost cost_times(struct hone_cost x, double n);

/* Of all kernels and regions of M that generator BY (NULL: any) computes, each once; zeros where it tells nothing. */
struct hone_cost told_cost(const struct opened *m, const struct hone_generator *by);
/* Does BY tell what a kernel or region of M takes? */
bool told_any(const struct opened *m, const struct hone_generator *by);

#endif
