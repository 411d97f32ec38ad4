/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/kept.h - what became of a model, kept from start to start: the graph behind all passes
 * with its storages, its tasks, the kernels that were chosen for them, and what generators compute.
 *
 * A file for each question. It has no constants but those that passes computed: all others are where
 * they were, in the model's own files, which are mapped.
 * Holds: an answer is found only for the same model and sizes of its dims, database in the same state,
 *        device, threads, compilers, generators with what is known of their times, and code of hone; what is
 *        damaged, lacks a kernel, or has what a generator no longer makes ready, is not. */
#ifndef HONE_RUNTIME_KEPT_KEPT_H
#define HONE_RUNTIME_KEPT_KEPT_H

#include "runtime/open.h"

/* The file for what O's model becomes with PLAN, whose generators are loaded, in A; NULL where nothing is to be
 * kept: there is no cache folder, or this code of hone cannot be told from another. */
const char *kept_place(struct arena *a, const struct open_options *o,
		       const struct choice_plan *plan);
/* What is kept there, in A, ready for PLAN's threads by its generators, which are asked nothing but init: *OUT
 * but for its code, its tasks without their DAGs. False where there is nothing. */
bool kept_recall(struct arena *a, const char *place, const struct open_options *o,
		 const struct choice_plan *plan, struct opened *out);
/* Keeps M, which was read from FILES, and removes others that were not used for longest where they are
 * too many. What cannot be kept costs time on the next start. */
void kept_write(const char *place, const struct onnx_files *files, const struct opened *m);

#endif
