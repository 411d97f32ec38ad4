/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/conversation.h - the lines in which a contestant of `hone bench` answers the
 * referee.
 *
 * Requests, on standard input, one answer each on standard output:
 *
 *	entries				a line `entry NAME<TAB>CLOCK` each, then `ok VERSION`
 *	prepare DIR ENTRY THREADS	`ok TEXT`, `cannot WHY` (a normal answer)
 *	check FILE			runs once, writes the outputs to FILE; `ok`
 *	run N				N evaluations; `ok NANOSECONDS` for all of them
 *	quit
 *
 * or `error MESSAGE`. What is in DIR, TEXT and FILE is a matter of what is contested:
 * bench/contest/contestant.h (kernels) and bench/models/setting.h (models). What a library prints
 * goes to standard error. */
#ifndef HONE_BENCH_CONTEST_REFEREE_CONVERSATION_H
#define HONE_BENCH_CONTEST_REFEREE_CONVERSATION_H

#include "base/arena.h"

struct contestant_entry {
	const char *name;	/* a word */
	const char *clock;	/* for people: what is in the clock and what is not */
};

/* What answers. USER is the contestant's own. */
struct conversation {
	const struct contestant_entry *entries;	/* ended by a NULL name */
	/* The library and its version: "OpenBLAS 0.3.21, pthreads, SkylakeX". */
	const char *(*version)(struct arena *a);
	/* 1 and TEXT; 0 and in TEXT why it cannot; -1 and a message. A is the task's. */
	int (*prepare)(void *user, struct arena *a, const char *dir, const char *entry, int threads,
		       const char **text);
	/* Of what is prepared. 0, or -1 and a message. */
	int (*check)(void *user, const char *file);
	int (*run)(void *user);
	void (*release)(void *user);
};

/* Serves the referee until it says quit or goes away; returns the exit status. */
int converse(const struct conversation *c, void *user, int argc, char **argv);

#endif
