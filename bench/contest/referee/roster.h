/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/roster.h - who takes part, with which entries, and who is absent and why. */
#ifndef HONE_BENCH_CONTEST_REFEREE_ROSTER_H
#define HONE_BENCH_CONTEST_REFEREE_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* One entry of one contestant: a row of the table. */
struct competitor {
	const char *name;	/* "onednn/direct"; ours is "hone" */
	const char *entry;	/* in the contestant's words */
	const char *clock;	/* what is in the clock, and what is not */
	const char *version;	/* of the library */
	const char *const *argv;	/* of its process */
	int64_t bare_kb;	/* the most memory that it had with the library loaded and nothing to do */
};
struct competitor_vec VEC(struct competitor);

struct absentee {
	const char *name, *why, *install;
};
struct absentee_vec VEC(struct absentee);

struct roster {
	struct competitor_vec competitors;	/* ours is the first */
	struct absentee_vec absent;
};

/* What contestants run. */
enum roster_kind {
	ROSTER_KERNELS,	/* of one task: all take part */
	ROSTER_MODELS,	/* whole: engines do */
};

/* "onednn, openblas, ...": the names there are, in A. */
const char *roster_names(struct arena *a, enum roster_kind kind);
/* NAME is "onednn" or "onednn/direct" of a contestant there is. */
bool roster_knows(enum roster_kind kind, const char *name);

/* Asks our own contestant and those that PEERS names (N of them; none: all) for their entries. LOG
 * is a file for what they say meanwhile. In A; -1 and a message where ours is not to be found or
 * an entry that was asked for is none. */
int roster_open(struct arena *a, enum roster_kind kind, const char *const *peers, int n,
		const char *log, struct roster *out);

#endif
