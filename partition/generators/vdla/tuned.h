/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/tuned.h - kernels of regions from a database, as hone tune --device fills it.
 *
 * In:   a task, and options that name a database.
 * Out:  the program of its best record; before that a campaign, where the task has fewer trials than the options want. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_TUNED_H
#define HONE_PARTITION_GENERATORS_VDLA_TUNED_H

#include "partition/generators/vdla/options.h"
#include "search/task.h"

/* *OUT, in A, is NULL where there is none. -1 and a message. */
int vdla_tuned(struct arena *a, const struct task *t, const struct vdla_options *o, const struct program **out);
/* A text that changes with the records that there are for O's machine, in A: "" without a database. -1 and a message. */
int vdla_tuned_version(struct arena *a, const struct vdla_options *o, const char **out);

#endif
