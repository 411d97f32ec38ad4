/* SPDX-License-Identifier: Apache-2.0 */
/* db/delete.h - campaigns go, with what they measured.
 *
 * Holds: what was found wrong stays wrong: a failure that keeps a kernel of another campaign from being the best stays, as
 *        a record of no campaign. Devices, toolchains and tasks stay, too. A file that is merged later and has
 *        the campaign brings it back. */
#ifndef HONE_DB_DELETE_H
#define HONE_DB_DELETE_H

#include "db/db.h"

/* What campaigns have: rows. */
struct db_belongings {
	int64_t campaigns, rounds, sittings;
	int64_t records;	/* that go */
	int64_t kept;		/* that stay, since they prove kernels of others wrong */
};

/* What would go with the N campaigns that IDS has. */
int db_campaigns_belongings(struct db *db, const int64_t *ids, int n, struct db_belongings *out);
/* Removes them with all of that, in one transaction, and says what it was. -1 and a message, with all as it was, where
 * a process is at work on one of them. */
int db_campaigns_delete(struct db *db, const int64_t *ids, int n, struct db_belongings *out);
/* Gives the space of what was deleted back to the system. -1 and a message where the disk has no room for that. */
int db_shrink(struct db *db);

#endif
