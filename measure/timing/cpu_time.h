/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/cpu_time.h - what CPUs were used for since the machine started, as the kernel counts. */
#ifndef HONE_MEASURE_TIMING_CPU_TIME_H
#define HONE_MEASURE_TIMING_CPU_TIME_H

#include <sys/types.h>

#include "base/arena.h"

struct cpu_time {
	double total, idle, steal; /* ticks */
};

/* TEXT is the content of /proc/stat; LIST names CPUs as "0,2-3", NULL all. All zeros where TEXT has
 * none of them. */
struct cpu_time cpu_time_parse(const char *text, const char *list);
/* Of this machine. */
struct cpu_time cpu_time_now(struct arena *a, const char *list);
/* Ticks that this process and the children it has waited for have used. */
double cpu_time_ours(void);
/* Ticks that the threads of PID have used; 0 where there is no such process. */
double cpu_time_of(struct arena *a, pid_t pid);

#endif
