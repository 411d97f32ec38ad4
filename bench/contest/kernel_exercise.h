/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/kernel_exercise.h - one task, our kernel of it, and its reference, as what a bout is
 * about. The folder has the files of bench/contest/contestant.h and `kernel.so`. */
#ifndef HONE_BENCH_CONTEST_KERNEL_EXERCISE_H
#define HONE_BENCH_CONTEST_KERNEL_EXERCISE_H

#include "bench/contest/referee/bout.h"
#include "search/trust/reference.h"
#include "search/task.h"

struct kernel_exercise {
	const struct task *task;
	const char *kernel;			/* path of our object */
	const struct reference *reference;	/* its random inputs are the players' */
};

/* K outlives it. */
struct exercise kernel_exercise(struct kernel_exercise *k);

#endif
