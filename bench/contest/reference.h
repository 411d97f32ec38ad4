/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/reference.h - what a task's outputs should be: nobody's kernel, but the reference
 * that candidates are verified against. */
#ifndef HONE_BENCH_CONTEST_REFERENCE_H
#define HONE_BENCH_CONTEST_REFERENCE_H

#include "measure/builder.h"
#include "search/task.h"

struct reference;

/* Fills the inputs of T, at seed SEED, and computes its outputs. In A. NULL and a message. */
struct reference *reference_new(struct arena *a, struct builder *b, const struct task *t,
				uint64_t seed);
/* All buffers of T as te/eval.h orders them: the inputs, and the right outputs. */
void *const *reference_args(const struct reference *r);
/* Compares the file of a contestant's `check`. NULL where all outputs are right, else what is
 * not, in A. */
const char *reference_fault(struct arena *a, const struct reference *r, const char *file);

#endif
