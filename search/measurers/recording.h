/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/recording.h - a database of one device, read to be searched in again.
 *
 * In:   a database of records.
 * Out:  the device, the tasks, what was measured of each.
 * Holds: of several devices, thread counts and cache states in a file it is those with the most
 *        records; the rest is left out. */
#ifndef HONE_SEARCH_MEASURERS_RECORDING_H
#define HONE_SEARCH_MEASURERS_RECORDING_H

#include "db/db.h"
#include "measure/device/device.h"
#include "search/task.h"

struct recording {
	struct arena *arena;
	struct db *db;
	const char *path;
	struct db_want want;	/* what was chosen; its task is NULL */
	const struct device *device;
	struct task_vec tasks;	/* that have records */
};

/* NULL and a message where PATH is no database, or has nothing to replay. */
struct recording *recording_open(const char *path);
void recording_close(struct recording *r);	/* NULL is allowed */
/* NULL where there are no records of it. */
const struct task *recording_task(const struct recording *r, const char *key);

#endif
