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

/* What commands may use at present. */
struct pool_room {
	int jobs;		/* at once; more that run already go on */
	const char *cpus;	/* that they are bound to, as a list; NULL: any */
};

struct pool_limits {
	int jobs;		/* at once, at least 1 */
	double limit_s;		/* for one command, counted from its start */
	size_t memory;		/* address space of each process in bytes */
	size_t output;		/* characters that are kept of each command's; 0: 16384 */
	struct pool_room (*room)(void *user);	/* asked before each start; NULL: all of it */
	void *user;
};

/* Runs them all. 0, or -1 and a message where a command cannot be started at all. */
int pool_run(struct arena *a, struct command_run *runs, int n, const struct pool_limits *limits,
	     char *const *envp);
/* Whether the command ended by itself with status 0. */
bool command_succeeded(const struct command_run *r);

#endif
