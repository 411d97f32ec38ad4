/* SPDX-License-Identifier: Apache-2.0 */
/* search/best.h - a record of the database, replayed. */
#ifndef HONE_SEARCH_BEST_H
#define HONE_SEARCH_BEST_H

#include "db/db.h"
#include "schedule/nest.h"
#include "search/task.h"

struct best {
	struct db_record record;
	struct state *state;
	struct program *program;
};

/* The fastest record of T that fits WANT (whose task_key is set here), as a program. 1 and *OUT; 0
 * where there is none; -1 and a message where the database fails, or a record does not replay. */
int task_best(struct arena *a, struct db *db, const struct task *t, struct db_want want,
	      struct best *out);

#endif
