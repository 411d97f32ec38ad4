/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/search.h - what the two ways to compare strategies have in common: by a replay
 * (search.c) and by campaigns on this machine (search_hardware.c). */
#ifndef HONE_BENCH_SUITES_SEARCH_H
#define HONE_BENCH_SUITES_SEARCH_H

#include "bench/search/role.h"
#include "bench/search/search.h"

enum { SEARCH_MAX_SOURCES = 64 };

struct search_args {
	struct search_plan plan;	/* trials, seeds and baseline are 0 where not given */
	const char *replay, *svg;	/* of a replay */
	const char *cc, *folder;	/* of campaigns; NULL: none given */
	int threads;
	const char *sources[SEARCH_MAX_SOURCES];
	int n_sources;
	bool hardware, ablates, json;
	struct arena *arena;
	struct roles roles;
	struct task_vec tasks;	/* those wanted */
};

/* Returns the exit status. */
int search_on_hardware(struct search_args *args);

#endif
