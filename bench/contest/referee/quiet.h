/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/quiet.h - waits until processes sleep.
 *
 * The workers of OpenMP and of thread pools go on looking for work for a while after a parallel
 * region: libgomp for milliseconds, OpenBLAS for 2^26 cycles, libomp for 200 ms. Beside them
 * nobody's time is his own. */
#ifndef HONE_BENCH_CONTEST_REFEREE_QUIET_H
#define HONE_BENCH_CONTEST_REFEREE_QUIET_H

#include <stdbool.h>
#include <sys/types.h>

/* Waits until the threads of the N processes have slept for QUIET_MS, LIMIT_MS or a little more. False
 * where one still does then; *BUSY is its place among them (-1: none). Process 0, or one that is
 * gone, is quiet. */
bool quiet_wait(const pid_t *pids, int n, double limit_ms, int *busy);

/* Several times what a thread needs to go to sleep once it wants to. */
#define QUIET_MS 2.0
/* Of a core: what a thread may use that looks after something now and then. Who spins uses one. */
#define QUIET_SHARE 0.05

#endif
