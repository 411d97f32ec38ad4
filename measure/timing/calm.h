/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/calm.h - waits, within bounds, until nobody else uses the cores that are measured on.
 *
 * In:   the cores, and the process that measures on them.
 * Out:  time that passed.
 * Holds: waiting takes no more than a small part of all time since calm_new(), so that a machine
 *        that is never quiet is measured on, too: racing and calibration have to cope then. */
#ifndef HONE_MEASURE_TIMING_CALM_H
#define HONE_MEASURE_TIMING_CALM_H

#include <signal.h>
#include <stdbool.h>

#include "base/tell.h"
#include "measure/timing/cpu_time.h"

/* A kernel that loses a tenth of its core takes 1.1 times as long: hone doctor calls a spread of
 * 1.15 noisy (measure/device/noise.h). */
#define CALM_SHARE 0.1

/* What the cores were used for up to a moment, in ticks. */
struct usage {
	struct cpu_time cores;
	double ours;		/* of what measures; all else of ours is on other cores by then */
};

/* Shares of the cores' time, 0 to 1. */
struct disturbance {
	double stolen;		/* by a hypervisor */
	double taken;		/* by processes that are not ours: at least so much */
};

struct disturbance calm_compare(const struct usage *from, const struct usage *to);
bool calm_is_disturbed(const struct disturbance *d);

struct calm;

/* STOP (may be NULL) ends a pause where it becomes 1. */
struct calm *calm_new(const struct listener *listener, const volatile sig_atomic_t *stop);
void calm_free(struct calm *c);	/* NULL is allowed */
/* Before the first of some measurements that PID makes on CPUS: what was before does not count. */
void calm_begin(struct calm *c, const char *cpus, pid_t pid);
/* To be called between measurements that PID makes on CPUS: looks at the time since the last call,
 * and where it was disturbed waits. The seconds waited. */
double calm_wait(struct calm *c, const char *cpus, pid_t pid);
/* Seconds that it has been disturbed by now; 0: it is not. */
double calm_disturbed_s(const struct calm *c);

#endif
