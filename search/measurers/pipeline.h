/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/pipeline.h - batches on their way: each is built, then run, by a thread for either.
 *
 * In:   batches, one after the other.
 * Out:  the same, in that order, when both are done.
 * Holds: batches are built in order, and run in order. Where building may go on beside running, it does;
 *        else neither begins while the other is at work, and nothing is run but while the owner waits for
 *        it, doing nothing. Only the owner's thread calls these functions, but for pipeline_runs(). */
#ifndef HONE_SEARCH_MEASURERS_PIPELINE_H
#define HONE_SEARCH_MEASURERS_PIPELINE_H

#include <stdbool.h>

#include "base/tell.h"

/* Batches in it at a time, at most. */
enum { PIPELINE_MOST = 4 };

struct pipeline_stages {
	void (*build)(void *user, void *batch);
	void (*run)(void *user, void *batch);
	/* Of what was put and is not taken when all ends; in the owner's thread. */
	void (*drop)(void *user, void *batch);
	void *user;
};

struct pipeline;

/* What the stages tell by pipeline_listener() reaches TO in the owner's thread, while that waits. */
struct pipeline *pipeline_new(const struct pipeline_stages *s, const struct listener *to);
/* Stages at work come to their end; what is not begun is not. NULL is allowed. */
void pipeline_free(struct pipeline *p);
const struct listener *pipeline_listener(const struct pipeline *p);

/* Whether building may go on beside running; not at first. While the pipeline is empty. */
void pipeline_set_beside(struct pipeline *p, bool beside);
void pipeline_put(struct pipeline *p, void *batch);
/* The oldest, when it has been run. There is one. */
void *pipeline_take(struct pipeline *p);

/* From the building stage: whether something runs beside it, or is about to. */
bool pipeline_runs(struct pipeline *p);
/* Seconds that the running stage was at work so far. */
double pipeline_ran_s(struct pipeline *p);

#endif
