/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/seeds.h - schedules that a task's batches begin with: what records of others tell. */
#ifndef HONE_SEARCH_CAMPAIGN_SEEDS_H
#define HONE_SEARCH_CAMPAIGN_SEEDS_H

#include "db/db.h"
#include "search/campaign/kin.h"
#include "search/space/genes/candidate.h"

/* What P's next batch begins with, in A, by records of DB that fit WANT, whose task is P's:
 * - the fastest imported one that P's history has not seen and whose steps give a kernel here, of the target, threads and
 *   cache state of WANT, from any device;
 * - each of the parts that take the least together (search/space/parts.h) computed as by the fastest record of it, where
 *   there are records of all of P and they fit together;
 * - what is fast with other numbers of threads, with loops shared out anew: of the first records, those that P's history has
 *   not seen so;
 * - what P's kin of ALL is fast with, where P's history has not seen it. */
struct seed_vec seeds_of(struct arena *a, struct db *db, const struct problem *p, struct db_want want, const struct kin_vec *all);

#endif
