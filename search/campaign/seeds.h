/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/seeds.h - schedules that a task is tried with first: what a log from elsewhere says is fast, and
 * where there are several reductions, what their parts are fast with. */
#ifndef HONE_SEARCH_CAMPAIGN_SEEDS_H
#define HONE_SEARCH_CAMPAIGN_SEEDS_H

#include "db/db.h"
#include "search/space/genes/candidate.h"

/* The steps of DAG, in A, in which each of the parts that take the least together (search/space/parts.h) is computed as
 * by the fastest record of it that fits WANT, whose task is set here; NULL where records are not of all of DAG, or do not
 * fit together. */
const char *seed_of(struct arena *a, struct db *db, const struct dag *dag, struct db_want want);

/* The steps, in A, of the fastest imported record of P's task that P's history has not seen and whose steps give a
 * kernel here; of the target, threads and cache state of WANT, from any device: its time is believed by nobody, and
 * orders them alone. NULL where there is none. */
const char *seed_imported(struct arena *a, struct db *db, const struct problem *p, struct db_want want);

#endif
