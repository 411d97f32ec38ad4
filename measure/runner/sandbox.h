/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/sandbox.h - what hone-runner gives up before it loads a kernel: new privileges, the
 * network, writing files, starting programs, signals to others.
 *
 * In:   nothing: a kernel needs memory, threads, the clock and counters, and that is what is left.
 * Out:  a system call beyond that is SIGSYS, which the runner reports with the call's name.
 * Holds: once entered it cannot be left, and every thread of the process is in it. It takes some
 *        microseconds, and changes nothing about how fast a kernel runs. */
#ifndef HONE_MEASURE_RUNNER_SANDBOX_H
#define HONE_MEASURE_RUNNER_SANDBOX_H

#include <stdbool.h>

struct sandbox {
	bool filter;	/* seccomp: system calls are filtered */
	int landlock;	/* the version of Landlock's rules that hold; 0: none */
};

/* Enters, as far as this kernel lets us. Before the process has a second thread. */
struct sandbox sandbox_enter(void);
/* What sandbox_enter gives here, tried in a process of its own. */
struct sandbox sandbox_try(void);

/* Called in the handler of SIGSYS, with its CONTEXT: true where call NUMBER is one that a runtime
 * makes for a reason and has been answered without the kernel; it then returns. */
bool sandbox_answer(int number, void *context);

/* Of a system call that the filter refuses, by its number: its name, and what it does in words;
 * NULL where it is not one of those. */
const char *sandbox_call(int number, const char **meaning);

#endif
