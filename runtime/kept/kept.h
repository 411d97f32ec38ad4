/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/kept.h - what became of a model, kept from start to start: the graph behind all passes
 * with its storages, its tasks, and the kernels that were chosen for them.
 *
 * A file for each question. It has no constants but those that passes computed: all others are where
 * they were, in the model's own files, which are mapped.
 * Holds: an answer is found only for the same model and sizes of its dims, database in the same state,
 *        device, threads, compilers, and code of hone; what is damaged, or lacks a kernel, is not. */
#ifndef HONE_RUNTIME_KEPT_KEPT_H
#define HONE_RUNTIME_KEPT_KEPT_H

#include "runtime/open.h"

/* The file for what O's model becomes with PLAN, in A; NULL where nothing is to be kept: there is no
 * cache folder, or this code of hone cannot be told from another. */
const char *kept_place(struct arena *a, const struct open_options *o,
		       const struct choice_plan *plan);
/* What is kept there, in A, kernels loaded for THREADS threads: *OUT but for its code, its tasks without
 * their DAGs. False where there is nothing. */
bool kept_recall(struct arena *a, const char *place, int threads, struct opened *out);
/* Keeps M, which was read from FILES, and removes others that were not used for longest where they are
 * too many. What cannot be kept costs time on the next start. */
void kept_write(const char *place, const struct onnx_files *files, const struct opened *m);

#endif
