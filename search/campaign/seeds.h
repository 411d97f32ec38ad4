/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/seeds.h - schedules that a task of several reductions is tried with first. */
#ifndef HONE_SEARCH_CAMPAIGN_SEEDS_H
#define HONE_SEARCH_CAMPAIGN_SEEDS_H

#include "db/db.h"
#include "search/task.h"

/* The steps of DAG, in A, in which each of the parts that take the least together (search/space/parts.h) is computed as
 * by the fastest record of it that fits WANT, whose task is set here; NULL where records are not of all of DAG, or do not
 * fit together. */
const char *seed_of(struct arena *a, struct db *db, const struct dag *dag, struct db_want want);

#endif
