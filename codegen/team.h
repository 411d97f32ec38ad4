/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/team.h - the threads of this process that run kernels, and their barrier.
 *
 * In:   what each of them is to do, step by step.
 * Out:  all threads at the same step: team_wait() takes 0.1 to 0.2 us where each has a core, a
 *       parallel region 0.6 to 1.2 (hone bench --suite team).
 * Holds: threads that wait spin, and leave the core to others where that takes long. */
#ifndef HONE_CODEGEN_TEAM_H
#define HONE_CODEGEN_TEAM_H

#include "codegen/callable.h"

struct team;

/* Runs WORK once in each of THREADS threads, at least 1, of which the caller is number 0: the threads
 * of OpenMP, which it keeps between calls. It may give fewer. */
void team_run(int threads, void (*work)(struct team *t, int thread, void *user), void *user);

/* Returns once all threads have called it: what they wrote before is seen by all behind it. */
void team_wait(struct team *t, int thread);

/* All phases of C, of which THREAD does its part: it waits between them, and not behind the last.
 * ARGS and WORKSPACE, of as many threads as T has, as codegen/callable.h says; the same in all threads. */
void callable_run(const struct callable *c, struct team *t, int thread, void *const *args,
		  void *workspace);
/* The same once, by a team of its own of up to THREADS threads. */
void callable_call(const struct callable *c, int threads, void *const *args, void *workspace);

#endif
