/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/guesses.h - guessed schedules, kept from run to run: a guess takes a second and is the same
 * each time.
 *
 * Holds: one that is kept is found only for the same task, target and cost model of the same hone. */
#ifndef HONE_RUNTIME_KERNEL_GUESSES_H
#define HONE_RUNTIME_KERNEL_GUESSES_H

#include "search/guess.h"

/* task_guess(), or what it gave an earlier run, lowered and written again. */
bool guesses_get(struct arena *a, const struct task *t, const struct aim *aim,
		 struct guess *out);

#endif
