/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/noise.h - how much the machine disturbs a kernel that never changes.
 *
 * In:   seconds to watch.
 * Out:  the spread of the kernel's time, and what the kernel of the system counted meanwhile. */
#ifndef HONE_MEASURE_DEVICE_NOISE_H
#define HONE_MEASURE_DEVICE_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct noise {
	int samples;
	double seconds;			/* watched */
	double median, p10, p90, min, max; /* microseconds of one run, about a millisecond */
	int64_t preempted;		/* involuntary context switches of this thread */
	double beside;			/* share of runs with somebody on the hardware thread beside, 0..1 */
	double steal;			/* share of all CPU time that a hypervisor kept, 0..1 */
	double busy;			/* share of all CPU time used, ours included, 0..1 */
	bool has_pressure;		/* the kernel has PSI */
	double pressure;		/* share of time some task waited for a CPU, 10 s average */
	double load;			/* of the last minute */
};

/* What a spread, p90 / p10, or stolen time means for measuring. hone doctor on a two-core guest: 1.05
 * to 1.08 when quiet, 1.3 with builds beside it, 9 with more busy threads than cores. */
#define NOISE_NOISY_SPREAD 1.15
#define NOISE_UNFIT_SPREAD 3.0
#define NOISE_NOISY_STEAL 0.02
#define NOISE_UNFIT_STEAL 0.25
/* Of the time somebody is on the hardware thread beside: 0.6 to 0.95 on a guest whose kernels took up to 1.7 times their least
 * (docs/performance.md). */
#define NOISE_NOISY_BESIDE 0.1

enum fitness { FITNESS_FIT, FITNESS_NOISY, FITNESS_UNFIT };

/* Watches for SECONDS (one sample at least). */
void noise_measure(double seconds, struct noise *out);

/* Judges it; the reason, with figures, in A. */
enum fitness noise_judge(struct arena *a, const struct noise *n, const char **reason);
/* "fit", "noisy", "unfit". */
const char *fitness_name(enum fitness f);

#endif
