/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/pool.h - runs many short commands, a few at a time, each under a time limit. */
#ifndef HONE_MEASURE_BUILD_POOL_H
#define HONE_MEASURE_BUILD_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct command_run {
	const char *const *argv;
	/* Out. */
	int status;		/* as of waitpid */
	bool timed_out;
	const char *output;	/* of both streams, its first part; in pool_run's arena */
	double ms;		/* wall time from its own start */
};

struct pool_limits {
	int jobs;		/* at once, at least 1 */
	double limit_s;		/* for one command, counted from its start */
	size_t memory;		/* address space of each process in bytes */
	size_t output;		/* characters that are kept of each command's; 0: 16384 */
};

/* Runs them all. 0, or -1 and a message where a command cannot be started at all. */
int pool_run(struct arena *a, struct command_run *runs, int n, const struct pool_limits *limits,
	     char *const *envp);
/* Whether the command ended by itself with status 0. */
bool command_succeeded(const struct command_run *r);

#endif
