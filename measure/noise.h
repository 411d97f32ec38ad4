/* SPDX-License-Identifier: Apache-2.0 */
/* measure/noise.h - how much the machine disturbs a kernel that never changes.
 *
 * In:   seconds to watch.
 * Out:  the spread of the kernel's time, and what the kernel of the system counted meanwhile. */
#ifndef HONE_MEASURE_NOISE_H
#define HONE_MEASURE_NOISE_H

#include <stdbool.h>
#include <stdint.h>

struct noise {
	int samples;
	double seconds;			/* watched */
	double median, p10, p90, min, max;	/* microseconds of one run, about a millisecond */
	int64_t preempted;		/* involuntary context switches of this thread */
	double steal;			/* share of all CPU time that a hypervisor kept, 0..1 */
	double busy;			/* share of all CPU time used, ours included, 0..1 */
	bool has_pressure;		/* the kernel has PSI */
	double pressure;		/* share of time some task waited for a CPU, 10 s average */
	double load;			/* of the last minute */
};

/* Watches for SECONDS (one sample at least). */
void noise_measure(double seconds, struct noise *out);

#endif
