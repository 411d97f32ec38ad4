/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/counters.h - event counts through PAPI: the hardware's where it gives them, the
 * kernel's elsewhere.
 *
 * Hypervisors list events that then fail to start, so each event is added and started once before
 * it is believed; those that did not work keep their reason. */
#ifndef HONE_MEASURE_RUNNER_COUNTERS_H
#define HONE_MEASURE_RUNNER_COUNTERS_H

#include "measure/trial.h"

struct counters;

/* Tries every event of the list; takes some ten milliseconds. Never NULL; without PAPI all events
 * are absent. PAPI's state belongs to the process: one of these at a time. */
struct counters *counters_new(void);
void counters_free(struct counters *c);

/* Begins counting for the calling thread. 0, or -1 where nothing can be counted. */
int counters_start(struct counters *c);
/* Ends it; writes up to MAX counts and returns their number. */
int counters_stop(struct counters *c, struct counter *out, int max);

/* The events that work, and those that do not, each with the reason. */
int counters_present(const struct counters *c);
const char *counters_name(const struct counters *c, int i);
int counters_absent(const struct counters *c);
const char *counters_absent_name(const struct counters *c, int i);
const char *counters_absent_reason(const struct counters *c, int i);

#endif
