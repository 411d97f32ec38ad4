/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/bout.h - one task, all competitors: started, checked, timed in turns, ended.
 *
 * Holds: who computes something else than the reference is not timed. */
#ifndef HONE_BENCH_CONTEST_BOUT_H
#define HONE_BENCH_CONTEST_BOUT_H

#include "bench/contest/output.h"
#include "bench/contest/referee.h"
#include "bench/contest/roster.h"
#include "search/task.h"

enum row_kind {
	ROW_TIMED,
	ROW_CANNOT,	/* the contestant said so: a normal thing */
	ROW_WRONG,	/* its output is not the reference's */
	ROW_LOST,	/* it died, hung or failed */
};

/* How one competitor did. Strings in the arena given. */
struct row {
	const struct competitor *who;
	enum row_kind kind;
	const char *why;	/* unless timed */
	const char *kernel;	/* in the library's words */
	struct score score;
};

struct bout {
	const struct task *task;
	const char *kernel;		/* path of our object */
	const struct reference *reference;
	const struct competitor_vec *competitors;
	struct rules rules;
	int threads;
	double limit_s;			/* for one answer */
};

/* Rows in the order of the competitors, in A. CPUS is set to the cores that all were bound to. NULL
 * and a message where the bout cannot be held. */
struct row *bout_hold(struct arena *a, const struct bout *b, const char **cpus);

#endif
