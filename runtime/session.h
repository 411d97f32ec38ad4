/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/session.h - one caller's way to run a model.
 *
 * In:   a model that is ready to run.
 * Out:  results for arguments, as often as one likes.
 * Holds: a session has memory of its own, so that several of a model may run at once, each in one
 *        thread at a time. Compiled functions run as lists of steps; all else, and what is called
 *        with other types than it was compiled for, runs in the interpreter and gives the same up
 *        to rounding. */
#ifndef HONE_RUNTIME_SESSION_H
#define HONE_RUNTIME_SESSION_H

#include "runtime/costs.h"

struct session;

/* Of CODE's main function; CODE outlives it. */
struct session *session_new(const struct model_code *code, struct interp_limits limits);
void session_free(struct session *s);	/* NULL is allowed */

/* One run: ARGS, as many as main has parameters, keep their holders; RESULTS, as many as it has
 * results, get one each. Strings among them live until the next run. 0, or -1 and a message. */
int session_run(struct session *s, const struct value *args, struct value *results);

/* A run whose results nobody wants. */
int session_exercise(struct session *s, const struct value *args);

/* From now on costs are noted; EVENTS: also each single one. */
void session_watch(struct session *s, bool events);
/* Of a session that is watched. */
const struct session_cost_vec *session_costs(const struct session *s);
/* What all runs took since then. */
double session_seconds(const struct session *s);
const struct session_event_vec *session_events(const struct session *s);

#endif
