/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/greedy.h - fixed orders in which blocks are placed. */
#ifndef HONE_RUNTIME_PLAN_GREEDY_H
#define HONE_RUNTIME_PLAN_GREEDY_H

#include "runtime/plan/place.h"

/* How many there are: each of orders.def with each fit. */
int greedy_count(void);
/* Places X's blocks by order I; returns the bytes that they take. */
int64_t greedy_place(struct arena *scratch, struct placing *x, int i);
/* "size, best fit" for order I. */
const char *greedy_name(struct arena *a, int i);

#endif
