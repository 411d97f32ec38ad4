/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/replayable.h - which records of a file can be replayed, whatever their hashes say. */
#ifndef HONE_SEARCH_MEASURERS_REPLAYABLE_H
#define HONE_SEARCH_MEASURERS_REPLAYABLE_H

#include "db/db.h"

/* Adds a line, in A, for each task whose text is no DAG, and each ok record whose steps its task
 * refuses; at most REPLAYABLE_MOST. -1 and a message where the database fails. */
int replayable_check(struct db *db, struct arena *a, struct db_problem_vec *out);

/* A wrecked file would name every record. */
enum { REPLAYABLE_MOST = 100 };

#endif
