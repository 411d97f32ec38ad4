/* SPDX-License-Identifier: Apache-2.0 */
/* bench/vdla/touched.h - bytes that a task cannot do without: a 1x1 convolution with a stride of 2 reads a quarter of its
 * input. */
#ifndef HONE_BENCH_VDLA_TOUCHED_H
#define HONE_BENCH_VDLA_TOUCHED_H

#include "te/dag.h"

/* Of outputs all, of an input or constant what the load that reaches most of it reaches, its dimensions taken apart. */
int64_t dag_touched_bytes(const struct dag *d);

#endif
