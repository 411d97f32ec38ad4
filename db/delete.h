/* SPDX-License-Identifier: Apache-2.0 */
/* db/delete.h - campaigns go, with what they measured. */
#ifndef HONE_DB_DELETE_H
#define HONE_DB_DELETE_H

#include "db/db.h"

/* What belongs to a campaign. */
struct db_belongings {
	int64_t records, rounds, sittings;
};

/* Counts. */
int db_campaign_belongings(struct db *db, int64_t id, struct db_belongings *out);
/* Removes campaign ID with its records, rounds and sittings, in one transaction; devices, toolchains and tasks stay.
 * -1 and a message, and nothing is removed, where a process is at work on it. */
int db_campaign_delete(struct db *db, int64_t id);

#endif
