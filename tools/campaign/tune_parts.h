/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_parts.h - what a campaign for chains begins with: kernels of their parts, of which theirs are put together. */
#ifndef HONE_TOOLS_CAMPAIGN_TUNE_PARTS_H
#define HONE_TOOLS_CAMPAIGN_TUNE_PARTS_H

#include "db/db.h"
#include "search/task.h"

/* The parts of TASKS that are none of these themselves and of which DB has no kernel by WANT, whose task is set here; in A. -1 and a
 * message. */
int tune_parts(struct arena *a, struct db *db, struct db_want want, const struct task_vec *tasks, struct task_vec *parts);

#endif
