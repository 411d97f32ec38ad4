/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/bout.h - one exercise, all competitors: started, checked, timed in turns, ended.
 *
 * Holds: who computes something else than the reference is not timed. */
#ifndef HONE_BENCH_CONTEST_REFEREE_BOUT_H
#define HONE_BENCH_CONTEST_REFEREE_BOUT_H

#include "bench/contest/referee/referee.h"
#include "bench/contest/referee/roster.h"

enum row_kind {
	ROW_TIMED,
	ROW_CANNOT,	/* the contestant said so: a normal thing */
	ROW_WRONG,	/* its output is not the reference's */
	ROW_LOST,	/* it died, hung or failed */
};
const char *row_kind_name(enum row_kind k);

/* How one competitor did. Strings in the arena given. */
struct row {
	const struct competitor *who;
	enum row_kind kind;
	const char *why;	/* unless timed */
	const char *rehearsal;	/* what it answered when it was prepared for the first time */
	const char *kernel;	/* the same of the process that played: in the library's words */
	int64_t peak_kb;	/* the most memory that this process had, as VmHWM has it */
	struct score score;
};

/* What is contested: how players are told of it, and what is right. */
struct exercise {
	/* Fills the folder that all prepare from. -1 and a message. */
	int (*write)(void *user, const char *folder);
	/* What is wrong, in A, with the outputs FILE that a player's `check` wrote; NULL: nothing. Called
	 * in the order of the competitors. */
	const char *(*fault)(void *user, struct arena *a, const char *file);
	void *user;
};

struct bout {
	struct exercise exercise;
	const struct competitor_vec *competitors;
	struct rules rules;
	int threads;
	double limit_s;			/* for one answer */
	bool rehearse;			/* each is started and prepared once before, so that what it
					 * keeps from one start to the next is there */
};

/* Rows in the order of the competitors, in A. CPUS is set to the cores that all were bound to. NULL
 * and a message where the bout cannot be held. */
struct row *bout_hold(struct arena *a, const struct bout *b, const char **cpus);

#endif
