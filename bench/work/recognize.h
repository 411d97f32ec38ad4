/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/recognize.h - what a DAG computes in the words of a library: a matrix product or a
 * convolution, and what is done to its result.
 *
 * In:   a frozen DAG, however it was built; names play no part.
 * Out:  its operands as views in the order that libraries use.
 * Holds: what is recognized computes exactly the DAG's output, up to the order of additions and, where a
 * sum or what follows it is bf16, roundings to that. Factors are f32, bf16 or bytes summed up as i32. What
 * is not proven to be one of these forms is not recognized. */
#ifndef HONE_BENCH_WORK_RECOGNIZE_H
#define HONE_BENCH_WORK_RECOGNIZE_H

#include "bench/work/work.h"

/* NULL where D is none of these, and WHY says so in a few words. */
const struct work *recognize(struct arena *a, const struct dag *d, const char **why);

#endif
