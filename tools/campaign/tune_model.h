/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_model.h - what a campaign for a model tunes: every kernel in every storage that images
 * might have, as long as it may be of use.
 *
 * How often the model runs a task depends on the storages that are best, and these on what the tasks
 * take: so weights are found anew after each batch. A task counts where the best choice has it by
 * the times of now, or by those that one may hope for: trials go to a storage as long as it could
 * win. */
#ifndef HONE_TOOLS_CAMPAIGN_TUNE_MODEL_H
#define HONE_TOOLS_CAMPAIGN_TUNE_MODEL_H

#include "measure/device/device.h"
#include "search/campaign/scheduler.h"

/* The tasks of the model at PATH for THREADS threads of D, in A, who weighs them, and the bytes of constants that a run reads. -1 and a
 * message. */
int tune_model(struct arena *a, const char *path, const struct device *d, int threads,
	       struct task_vec *tasks, struct weigher *weigher, double *constants);

#endif
