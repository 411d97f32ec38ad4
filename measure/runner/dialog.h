/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/dialog.h - requests to a runner process, and what came of them in words.
 *
 * Holds: after an answer other than a result there is no process any more. */
#ifndef HONE_MEASURE_RUNNER_DIALOG_H
#define HONE_MEASURE_RUNNER_DIALOG_H

#include "base/arena.h"
#include "measure/process/process.h"

/* Waits for a RESULT; LIMIT_S counts from each STARTED, and what is waited for quiet moments comes on top. OK with the result in E (E->index may be
 * that of any kernel of a round), else CRASH or TIMEOUT with *TEXT in A and E->index the kernel
 * that was running. SETUP gives the arguments their names. */
enum trial_status dialog_hear(struct arena *a, struct process *p, const struct setup *setup,
			      double limit_s, struct event *e, const char **text);
/* Sends MESSAGE and waits likewise; the status is that of the result where there is one, and so
 * is *TEXT, NULL where nothing is wrong. */
enum trial_status dialog_ask(struct arena *a, struct process *p, const struct setup *setup,
			     const void *message, size_t bytes, double limit_s, struct event *e,
			     const char **text);

#endif
