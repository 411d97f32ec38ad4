/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/pin.h - which cores a process of N threads gets. */
#ifndef HONE_MEASURE_TIMING_PIN_H
#define HONE_MEASURE_TIMING_PIN_H

#include <sys/types.h>

#include "base/arena.h"

struct pin;

/* The machine as hwloc sees it, within what this process may use. CPUS is a list such as "0,2-3",
 * or NULL for all of them. NULL and a message where the list is none or not allowed. */
struct pin *pin_new(const char *cpus);
void pin_free(struct pin *p);
/* Binds PID to THREADS cores, one hardware thread of each while there are enough: the last ones,
 * as interrupts and other programs tend to be on the first. The list bound to in A; NULL and a
 * message where there are fewer. */
const char *pin_process(struct arena *a, const struct pin *p, pid_t pid, int threads);

/* The cores of a process that is bound so, and those that it leaves to others of this one's: none that
 * shares a core with it, also none of a core's other hardware threads. */
struct pin_shares {
	const char *bound, *spare;	/* lists */
	int n_spare;
};

/* In A. -1 and a message where there are fewer than THREADS. */
int pin_shares(struct arena *a, const struct pin *p, int threads, struct pin_shares *out);

#endif
