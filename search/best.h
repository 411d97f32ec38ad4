/* SPDX-License-Identifier: Apache-2.0 */
/* search/best.h - a record of the database, replayed. */
#ifndef HONE_SEARCH_BEST_H
#define HONE_SEARCH_BEST_H

#include "schedule/nest.h"
#include "search/trust/evidence.h"
#include "search/task.h"

struct best {
	struct db_record record;
	struct state *state;
	struct program *program;
	const char *source;	/* the C text that the record gives today */
	enum evidence evidence;	/* whether that was measured */
};

/* The first of DB_FASTEST of T that fits WANT (whose task_key is set here), replayed for TARGET;
 * records that do not replay are skipped (db_skip()). 1 and *OUT, in A; 0 where there
 * is none; -1 and a message where the database fails. */
int task_fastest(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		 const struct target *target, struct best *out);
/* The same of the best of T: the fastest that was confirmed with the C text of today; where there is none, the
 * first of DB_SUREST. */
int task_best(struct arena *a, struct db *db, const struct task *t, struct db_want want,
	      const struct target *target, struct best *out);

/* Those that come next in DB_SUREST, by other steps than FIRST, the best of T, in A; at most N. How many, or -1 as above. */
int task_next_best(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		   const struct target *target, const struct best *first, int n, struct best *out);

/* The best of T for a model: what won among the best few when they ran inside one, of records with the
 * C text of today. It holds until another is confirmed that has not competed there; without such a
 * record this is task_best(), of records with cold weights where there are any, or where WANT asks for a cache state, of
 * that. */
int task_best_in_model(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		       const struct target *target, struct best *out);
/* R, a record of T, replayed; in A. False and a message where it gives no kernel. */
bool best_replay(struct arena *a, const struct task *t, const struct db_record *r,
		 const struct target *target, struct best *out);

#endif
