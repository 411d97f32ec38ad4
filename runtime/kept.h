/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept.h - the choices for a model's tasks, kept from run to run: a record's C text need not
 * be written again to find the object that was made of it.
 *
 * Holds: choices are found only for the same tasks in the same order, database in the same state,
 *        device, threads, compilers, and code of hone; what is damaged, or lacks an object, is not. */
#ifndef HONE_RUNTIME_KEPT_H
#define HONE_RUNTIME_KEPT_H

#include "runtime/choice.h"

/* The file for the choices for TASKS by PLAN, in A; NULL where nothing is to be kept: there is no
 * cache folder, or this code of hone cannot be told from another. */
const char *kept_place(struct arena *a, const struct model_task_vec *tasks,
		       const struct choice_plan *plan);
/* The N choices that are kept there, in A, their kernels not loaded yet; NULL where there are none. */
struct choice *kept_recall(struct arena *a, const char *place, int n);
/* Keeps CHOICES[0..n), and removes those of others that were kept longest ago where they are too many.
 * What cannot be written costs time on the next start. */
void kept_write(const char *place, const struct choice *choices, int n);

#endif
