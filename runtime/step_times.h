/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/step_times.h - what the tasks of a model take while a session of it runs. */
#ifndef HONE_RUNTIME_STEP_TIMES_H
#define HONE_RUNTIME_STEP_TIMES_H

#include "graph/task/uses.h"
#include "runtime/session.h"

/* What the kernels of a task took in some runs of the model. */
struct step_sum {
	double seconds;
	int64_t runs;
};

/* Adds SIGN times what S, which is watched and of G, has noted so far to SUMS, by task. BY: of kernels of
 * that origin alone (struct session_cost); NULL: of all kernels, hone's and generators'. */
void step_times_add(const struct graph *g, const struct task_uses *uses, const struct session *s, int sign,
		    const char *by, struct step_sum *sums);

#endif
