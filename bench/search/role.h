/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/role.h - what a task is to the search: one that it was tuned on, or one that may
 * judge it. */
#ifndef HONE_BENCH_SEARCH_ROLE_H
#define HONE_BENCH_SEARCH_ROLE_H

#include "search/task.h"

/* The tasks that constants of the search were chosen on. */
struct roles {
	struct task_vec tuning;
};

/* Reads the lists that name them, in A. -1 and a message where they cannot be read. */
int roles_load(struct arena *a, struct roles *out);
/* "tuning" or "judging". */
const char *role_of(const struct roles *r, const struct task *t);

#endif
