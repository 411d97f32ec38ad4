/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/versus.h - two ways to run a model, in turns.
 *
 * In:   a session of each, and inputs.
 * Out:  what a run takes of either, and which is faster.
 * Holds: only times of one round are compared (measure/verdict.h). */
#ifndef HONE_RUNTIME_VERSUS_H
#define HONE_RUNTIME_VERSUS_H

#include "measure/verdict.h"
#include "runtime/session.h"

struct versus {
	double ours_us, theirs_us;	/* medians over rounds */
	struct comparison is;
};

/* Runs both on INPUTS for about SECONDS. 0, or -1 and a message. */
int versus_run(struct session *ours, struct session *theirs, const struct value *inputs,
	       double seconds, struct versus *out);

#endif
