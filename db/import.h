/* SPDX-License-Identifier: Apache-2.0 */
/* db/import.h - records that a log from elsewhere tells of, saved as such. */
#ifndef HONE_DB_IMPORT_H
#define HONE_DB_IMPORT_H

#include "db/db.h"

/* A record of a log, and what it belongs to: of both no row ids are read. */
struct db_import {
	struct db_record record;	/* with fingerprint, toolchain_text and seq */
	struct db_task task;
	const char *description;	/* of the device, for a database that does not know it */
};
/* Saves N records as imported, but for those that tell of a measurement that is known here, in one
 * transaction. *ADDED is how many. */
int db_import(struct db *db, const struct db_import *records, int n, int64_t *added);
/* What cannot be true of R, of which a log says that its steps have the hash STEPS_HASH; in A. NULL: nothing. */
const char *db_import_fault(struct arena *a, const struct db_record *r, const char *steps_hash);

#endif
