/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/folder.h - the folder of a task, from which contestants prepare; its files are
 * those of bench/contest/contestant.h. */
#ifndef HONE_BENCH_CONTEST_REFEREE_FOLDER_H
#define HONE_BENCH_CONTEST_REFEREE_FOLDER_H

#include "search/task.h"

/* The SIZE bytes of D, which is called NAME, as an ONNX model, in A: of what is recognized, or of the operator that NAME
 * is; NULL, and WHY in a few words. ARGS are in the order of te/eval.h. */
const unsigned char *folder_model(struct arena *a, const char *name, const struct dag *d, void *const *args, size_t *size,
				  const char **why);

/* Writes T and its arguments ARGS, which are filled and in the order of te/eval.h, into the folder
 * PATH. -1 and a message. */
int folder_write(const char *path, const struct task *t, void *const *args);

#endif
