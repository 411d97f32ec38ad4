/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/kin.h - tasks of a database that are the same up to their last reduction, whatever functions are computed
 * behind it: conv2d+bias, conv2d+bias+add+relu. What one of them is fast with, the others are, too.
 *
 * In:   a database; steps of one task.
 * Out:  the kin of a task; such steps as steps of another one. */
#ifndef HONE_SEARCH_CAMPAIGN_KIN_H
#define HONE_SEARCH_CAMPAIGN_KIN_H

#include "db/db.h"
#include "schedule/state.h"

struct kin {
	const char *key;	/* of the task */
	const struct dag *dag;
	struct hash128 core;	/* of what it computes up to its last reduction */
	int n_core;		/* ops of that, */
	const int *op;		/* and each one's number in the DAG */
	int end;		/* the last of the functions that are computed with that reduction, itself where there is none */
};
struct kin_vec VEC(struct kin);

/* The tasks of DB that have reductions, in A, by id. -1 and a message. */
int kin_list(struct arena *a, struct db *db, struct kin_vec *out);
/* What LIST knows of the task of KEY; NULL: nothing. */
const struct kin *kin_find(const struct kin_vec *list, const char *key);
/* The same number for all that are kin; 0 where LIST knows nothing of the task of KEY. */
int kin_number(const struct kin_vec *list, const char *key);
/* Are X and Y two tasks, and kin? */
bool is_kin(const struct kin *x, const struct kin *y);

/* The steps of S, a state of THEIRS, with the numbers of OWN, and functions of OWN folded in the place of theirs; in A. NULL
 * where they say something of functions that OWN has not. */
const struct step_vec *kin_steps(struct arena *a, const struct kin *theirs, const struct kin *own, const struct state *s);

#endif
