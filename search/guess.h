/* SPDX-License-Identifier: Apache-2.0 */
/* search/guess.h - a schedule for a task that nobody has tuned.
 *
 * In:   a task and what kernels are made for.
 * Out:  what the analytic prior expects to be the fastest, after some generations.
 * Holds: nothing is measured; the same task and aim give the same guess. */
#ifndef HONE_SEARCH_GUESS_H
#define HONE_SEARCH_GUESS_H

#include "search/aim.h"
#include "search/task.h"

struct guess {
	const char *steps;	/* text form */
	const char *source;	/* C */
	uint32_t replaces;	/* program_replaces() */
};

/* In A; false where no sample makes a kernel. */
bool task_guess(struct arena *a, const struct task *t, const struct aim *aim,
		struct guess *out);

#endif
