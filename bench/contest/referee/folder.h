/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/folder.h - the folder of a task, from which contestants prepare; its files are
 * those of bench/contest/contestant.h. */
#ifndef HONE_BENCH_CONTEST_REFEREE_FOLDER_H
#define HONE_BENCH_CONTEST_REFEREE_FOLDER_H

#include "search/task.h"

/* Writes T and its arguments ARGS, which are filled and in the order of te/eval.h, into the folder
 * PATH. -1 and a message. */
int folder_write(const char *path, const struct task *t, void *const *args);

#endif
