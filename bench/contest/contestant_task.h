/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/contestant_task.h - the folder of a task, read by a contestant. */
#ifndef HONE_BENCH_CONTEST_CONTESTANT_TASK_H
#define HONE_BENCH_CONTEST_CONTESTANT_TASK_H

#include "bench/contest/contestant.h"

/* Fills OUT but for threads and entry from the folder DIR, all in A. -1 and a message. */
int contestant_task_read(struct arena *a, const char *dir, struct contestant_task *out);

#endif
